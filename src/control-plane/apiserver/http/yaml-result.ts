import { ParseError } from '#platform/base/errors';
import { readYaml } from '#platform/kube/yaml-json';

/** Maximum length of the result, because aliases let a short text represent a long one. */
const MAX_LENGTH = 16 * 1024 * 1024;

export interface YamlResult {
  readonly json?: string;
  readonly duplicates?: readonly string[];
  /** Reason why the text is not valid YAML. */
  readonly problem?: string;
  /** Set if the error is internal rather than in the text. */
  readonly isOurs?: boolean;
}

/** Reads the first document of a text as JSON. */
export function yamlResult(text: string): YamlResult {
  try {
    const { value, duplicates } = readYaml(text);
    const json = JSON.stringify(value);
    if (json.length > MAX_LENGTH) throw new ParseError('expands to more than the maximum size');
    return { json, duplicates };
  } catch (error) {
    return { problem: (error as Error).message, isOurs: !(error instanceof ParseError) };
  }
}
