import { expect, it } from 'vitest';
import { MIGRATION_CONFIGURATION } from '#api/operation-request';
import { configurationOf } from './configuration.ts';

const saying = (text: string | undefined) =>
  ({ metadata: { annotations: text === undefined ? {} : { [MIGRATION_CONFIGURATION]: text } } }) as never;

it.each<[string, string | undefined, string | undefined, object | undefined]>([
  ['nobody says anything', undefined, undefined, undefined],
  ['the migration alone does', '{"allowPostCopy":true}', undefined, { allowPostCopy: true }],
  ['the machine alone does', undefined, '{"bandwidthPerMigration":"5"}', { bandwidthPerMigration: '5' }],
  [
    'the migration asks for more than the machine allows',
    '{"allowPostCopy":true,"bandwidthPerMigration":"1Gi"}',
    '{"bandwidthPerMigration":"64Mi"}',
    { allowPostCopy: true, bandwidthPerMigration: '64Mi' },
  ],
  [
    'the migration asks for less',
    '{"bandwidthPerMigration":"1Mi"}',
    '{"bandwidthPerMigration":"64Mi"}',
    { bandwidthPerMigration: '1Mi' },
  ],
  [
    'the migration asks for all that there is',
    '{"bandwidthPerMigration":"0"}',
    '{"bandwidthPerMigration":"64Mi"}',
    { bandwidthPerMigration: '64Mi' },
  ],
  ['the machine says that it has no wishes', undefined, '{}', undefined],
  ['what is said cannot be read', '{', '[1]', undefined],
])('where %s', (_what, vmim, vmi, expected) => {
  const { migrationConfiguration } = configurationOf(saying(vmim), saying(vmi));
  expect(migrationConfiguration).toEqual(expected);
});
