import { LIVE_MIGRATION_ANNOTATION } from '#api/instance-request';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { MIGRATION_CONFIGURATION } from '#api/operation-request';

type Policy = VirtualMachine['spec']['migrationPolicy'];

/**
 * Returns the annotations for the migration of an instance: whether live, and how fast. Both are always set, so that a
 * running VM also gets the removal of a setting.
 */
export function policyAnnotations({ allowLiveMigration, bandwidth }: Policy): Record<string, string> {
  const configuration = bandwidth === undefined ? {} : { bandwidthPerMigration: `${bytesPerSecond(bandwidth)}` };
  return {
    [LIVE_MIGRATION_ANNOTATION]: `${allowLiveMigration}`,
    [MIGRATION_CONFIGURATION]: JSON.stringify(configuration),
  };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** Converts a bit rate to bytes per second, at least one, since zero would mean unlimited. */
function bytesPerSecond(text: string): number {
  const [, digits = '', unit = ''] = /^([0-9]+)([KMGT]?)bps$/.exec(text) ?? [];
  return Math.max(1, Math.floor((Number(digits) * (UNITS[unit] ?? 1)) / 8));
}
