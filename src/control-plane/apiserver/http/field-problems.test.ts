import { expect, test } from 'vitest';
import { asWarnings, problemsInOrder } from './field-problems.ts';

test.each([
  [
    '{"spec":{"odd":1,"replicas":2,"replicas":3}}',
    ['spec.odd'],
    ['unknown field "spec.odd"', 'duplicate field "spec.replicas"'],
  ],
  ['{"data":{"a":1,"a":2},"odd":1}', ['odd'], ['duplicate field "data.a"', 'unknown field "odd"']],
  ['{"odd":1,"odd":2}', ['odd'], ['unknown field "odd"']],
  ['{"a":1,"a":2,"a":3}', [], ['duplicate field "a"']],
  ['{"a":[{"b":1},{"b":1,"b":2}]}', ['elsewhere'], ['duplicate field "a[1].b"', 'unknown field "elsewhere"']],
])('%s reports its problems in the order of the text', (text, unknown, problems) => {
  expect(problemsInOrder(text, unknown)).toEqual(problems);
});

test('each line of a YAML error about duplicate keys becomes a warning', () => {
  expect(asWarnings(['yaml: unmarshal errors:\n  line 2: one\n  line 4: two', 'three'])).toEqual([
    'line 2: one',
    'line 4: two',
    'three',
  ]);
});
