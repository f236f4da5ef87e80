import { expect, it } from 'vitest';
import { MIGRATION_CONFIGURATION } from '#api/operation-request';
import { configurationOf } from './configuration.ts';

const saying = (text: string | undefined) =>
  ({ metadata: { annotations: text === undefined ? {} : { [MIGRATION_CONFIGURATION]: text } } }) as never;

it.each<[string, string | undefined, string | undefined, object | undefined]>([
  ['is empty by default', undefined, undefined, undefined],
  ['is that of the migration', '{"allowPostCopy":true}', undefined, { allowPostCopy: true }],
  ['is that of the VM', undefined, '{"bandwidthPerMigration":"5"}', { bandwidthPerMigration: '5' }],
  [
    'is limited by the bandwidth of the VM',
    '{"allowPostCopy":true,"bandwidthPerMigration":"1Gi"}',
    '{"bandwidthPerMigration":"64Mi"}',
    { allowPostCopy: true, bandwidthPerMigration: '64Mi' },
  ],
  [
    'has the lower bandwidth of the migration',
    '{"bandwidthPerMigration":"1Mi"}',
    '{"bandwidthPerMigration":"64Mi"}',
    { bandwidthPerMigration: '1Mi' },
  ],
  [
    'is limited by the VM if the migration has no limit',
    '{"bandwidthPerMigration":"0"}',
    '{"bandwidthPerMigration":"64Mi"}',
    { bandwidthPerMigration: '64Mi' },
  ],
  ['is empty if that of the VM is empty', undefined, '{}', undefined],
  ['is empty if both are invalid', '{', '[1]', undefined],
])('the configuration of a migration %s', (_what, vmim, vmi, expected) => {
  const { migrationConfiguration } = configurationOf(saying(vmim), saying(vmi));
  expect(migrationConfiguration).toEqual(expected);
});
