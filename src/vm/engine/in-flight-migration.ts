import type { Vmim } from '#api/kubevirt/resources';
import { KubeError } from '#platform/kube/kube-error';

const IN_FLIGHT = 'in-flight migration detected.';
const OVER: ReadonlySet<string | undefined> = new Set(['Succeeded', 'Failed']);

/** Returns KubeVirt's reason to deny a migration of an instance while one of its migrations is unfinished. */
export function inFlightMigration(migrations: Iterable<Vmim>): string | undefined {
  for (const { metadata, spec, status } of migrations) {
    if (OVER.has(status?.phase)) continue;
    return `${IN_FLIGHT} Active migration job (${metadata.uid}) is currently already in progress for VMI ${spec.vmiName}.`;
  }
  return undefined;
}

/** Reports whether admission rejected a migration because another one is unfinished. */
export const isMigrationInFlight = (error: unknown): boolean =>
  error instanceof KubeError && error.code === 422 && error.message.includes(IN_FLIGHT);
