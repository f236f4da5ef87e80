import { expect, it } from 'vitest';
import { CPU_CONSUMPTION as CPU, LOAD_ANNOTATION, MEMORY_CONSUMPTION as MEMORY } from '#api/launcher';
import { DEFAULT_NODE, formatLoad } from '#api/launcher-load';
import { retainedLoad } from './retained-load.ts';

/** Builds the annotations of a pod from the load of its VM and from what was annotated since. */
const pod = (cpu: string, memory: string, set: Record<string, string> = {}, node = DEFAULT_NODE) => ({
  [CPU]: cpu,
  [MEMORY]: memory,
  [LOAD_ANNOTATION]: formatLoad({ cpu, memory, node }),
  ...set,
});

it.each<[string, Record<string, string>, Record<string, string>, Record<string, string>]>([
  ['nothing if no load was set', pod('0.1', '0.2'), pod('0.1', '0.2'), {}],
  ['the load that was set', pod('0.1', '0.2', { [CPU]: '3' }), pod('0.1', '0.2'), { [CPU]: '3' }],
  [
    'CPU and memory',
    pod('0.1', '0.2', { [CPU]: '3', [MEMORY]: '0.9' }),
    pod('0.1', '0.2'),
    { [CPU]: '3', [MEMORY]: '0.9' },
  ],
  ['nothing that it already has', pod('0.1', '0.2', { [CPU]: '3' }), pod('0.1', '0.2', { [CPU]: '3' }), {}],
  ['nothing if the VM was changed later', pod('0.1', '0.2', { [CPU]: '3' }), pod('0.5', '0.2'), {}],
  [
    'no ratio that refers to another node',
    pod('0.1', '0.2', { [CPU]: '3' }),
    pod('0.1', '0.2', {}, { cpu: '8', memory: DEFAULT_NODE.memory }),
    {},
  ],
  ['nothing of a pod without recorded values', { [CPU]: '3' }, pod('0.1', '0.2'), {}],
])('the next pod of a VM gets %s', (_what, old, next, kept) => {
  expect(retainedLoad(old, next)).toEqual(kept);
});
