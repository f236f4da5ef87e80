import { expect, it } from 'vitest';
import { powerFieldsIn } from './stop.ts';

it.each([
  ['what was recorded', '{"running":true}', { running: true }],
  ['that a field was not there', '{"runStrategy":"Once","running":null}', { runStrategy: 'Once', running: null }],
  ['no other field, regardless of its writer', '{"running":false,"cpus":64,"template":{}}', { running: false }],
  ['nothing of what is no object', '[{"running":true}]', {}],
  ['nothing of what cannot be read', '{', {}],
])('restores %s', (_what, before, fields) => {
  expect(powerFieldsIn(before)).toEqual(fields);
});
