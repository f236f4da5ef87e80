import { parentPort } from 'node:worker_threads';
import { yamlResult } from './yaml-result.ts';
import type { YamlOrder } from './yaml-thread.ts';

parentPort?.on('message', ({ id, text }: YamlOrder) => parentPort?.postMessage({ id, ...yamlResult(text) }, []));
