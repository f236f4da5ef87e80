import { LIVE_MIGRATION_ANNOTATION } from '#api/instance-request';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { MIGRATION_CONFIGURATION } from '#api/operation-request';

type Policy = VirtualMachine['spec']['migrationPolicy'];

/**
 * What the instance of a machine says of how it may be moved: whether while it runs, and how fast. Both are always said,
 * so that a running machine takes over also what is no longer asked for.
 */
export function policyAnnotations({ allowLiveMigration, bandwidth }: Policy): Record<string, string> {
  const configuration = bandwidth === undefined ? {} : { bandwidthPerMigration: `${bytesPerSecond(bandwidth)}` };
  return {
    [LIVE_MIGRATION_ANNOTATION]: `${allowLiveMigration}`,
    [MIGRATION_CONFIGURATION]: JSON.stringify(configuration),
  };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** A rate of bits as bytes, of which there is at least one: none would mean as many as there are. */
function bytesPerSecond(text: string): number {
  const [, digits = '', unit = ''] = /^([0-9]+)([KMGT]?)bps$/.exec(text) ?? [];
  return Math.max(1, Math.floor((Number(digits) * (UNITS[unit] ?? 1)) / 8));
}
