import { parentPort } from 'node:worker_threads';
import { ParseError } from '#platform/base/errors';
import { readYaml } from '#platform/kube/yaml-json';
import type { YamlOrder, YamlResult } from './yaml-thread.ts';

/** Maximum length of the result, because aliases let a short text represent a long one. */
const LONGEST = 16 * 1024 * 1024;

parentPort?.on('message', ({ id, text }: YamlOrder) => parentPort?.postMessage({ id, ...resultOf(text) }, []));

function resultOf(text: string): Omit<YamlResult, 'id'> {
  try {
    const { value, duplicates } = readYaml(text);
    const json = JSON.stringify(value);
    if (json.length > LONGEST) throw new ParseError('expands to more than the maximum size');
    return { json, duplicates };
  } catch (error) {
    return { problem: (error as Error).message, isOurs: !(error instanceof ParseError) };
  }
}
