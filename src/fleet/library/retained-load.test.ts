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
  ['nothing that nobody has set', pod('0.1', '0.2'), pod('0.1', '0.2'), {}],
  ['what somebody has set', pod('0.1', '0.2', { [CPU]: '3' }), pod('0.1', '0.2'), { [CPU]: '3' }],
  [
    'both parts',
    pod('0.1', '0.2', { [CPU]: '3', [MEMORY]: '0.9' }),
    pod('0.1', '0.2'),
    { [CPU]: '3', [MEMORY]: '0.9' },
  ],
  ['nothing that the next has already', pod('0.1', '0.2', { [CPU]: '3' }), pod('0.1', '0.2', { [CPU]: '3' }), {}],
  ['nothing that was set on the VM later', pod('0.1', '0.2', { [CPU]: '3' }), pod('0.5', '0.2'), {}],
  [
    'no share of another node',
    pod('0.1', '0.2', { [CPU]: '3' }),
    pod('0.1', '0.2', {}, { cpu: '8', memory: DEFAULT_NODE.memory }),
    {},
  ],
  ['nothing of a pod that does not say what it was told', { [CPU]: '3' }, pod('0.1', '0.2'), {}],
])('the next pod of a machine gets %s', (_what, old, next, kept) => {
  expect(retainedLoad(old, next)).toEqual(kept);
});
