import { expect, it } from 'vitest';
import { powerFieldsIn } from './stop.ts';

it.each([
  ['what was recorded', '{"running":true}', { running: true }],
  ['that a field was absent', '{"runStrategy":"Once","running":null}', { runStrategy: 'Once', running: null }],
  ['no other field, regardless of its writer', '{"running":false,"cpus":64,"template":{}}', { running: false }],
  ['nothing from a record that is not an object', '[{"running":true}]', {}],
  ['nothing from an invalid record', '{', {}],
])('restores %s', (_what, before, fields) => {
  expect(powerFieldsIn(before)).toEqual(fields);
});
