import { expect, test } from 'vitest';
import { negotiate } from './negotiation.ts';

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

test.each([
  [undefined, { format: 'json', as: 'object' }],
  ['*/*', { format: 'json', as: 'object' }],
  ['application/yaml', { format: 'yaml', as: 'object' }],
  ['application/vnd.kubernetes.protobuf,application/json', { format: 'json', as: 'object' }],
  [`${TABLE},application/json`, { format: 'json', as: 'table' }],
  ['application/json;as=Curtain;g=x;v=v1,application/json', { format: 'json', as: 'object' }],
  ['application/json;charset=utf-8', { format: 'json', as: 'object' }],
])('an answer to "%s" takes the first form that is served', (accept, wanted) => {
  expect(negotiate(accept)).toEqual(wanted);
});

test('what has no other shape than its own is answered so, where that will do too', () => {
  expect(negotiate(`${TABLE},application/json`, true)).toEqual({ format: 'json', as: 'object' });
});

test.each([
  ['a shape that is not known', 'application/json;as=Curtain;g=x;v=v1', false],
  ['a table of what has none', TABLE, true],
  ['a format that is not known', 'text/html', false],
])('%s is not acceptable', (_what, accept, plainOnly) => {
  expect(() => negotiate(accept, plainOnly)).toThrow('only the following media types are accepted');
});
