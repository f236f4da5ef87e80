import { VMIMS, VMIS, type Vmi } from '#api/kubevirt/resources';
import { watchUntil } from '#fleet/library/watch-until';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { ignoreNotFound } from '#platform/kube/kube-error';

const HOSTNAME = 'kubernetes.io/hostname';
/** Condition of a migration whose target pod the scheduler has rejected. */
const TARGET_SCHEDULED = 'TargetScheduled';

/** Returns why an instance cannot be live-migrated, or undefined if it can. */
export function migrationBlockerOf({ status }: Vmi): string | undefined {
  if (status?.phase !== 'Running') return `it is ${status?.phase ?? 'not running'}`;
  const condition = conditionOf(status.conditions, 'LiveMigratable');
  return condition?.status === 'False' ? (condition.message ?? condition.reason ?? 'it cannot migrate') : undefined;
}

export interface LiveMigration {
  readonly instance: string;
  readonly namespace: string;
  /** Hostname label of the destination. */
  readonly hostname: string;
  readonly signal: AbortSignal;
}

/**
 * Live-migrates an instance to a node. Throws an error with the reason if it fails; the VM then continues on its node. A
 * migration that the scheduler rejects is cancelled, since it would wait for minutes.
 */
export async function liveMigrate(
  client: Client,
  { instance, namespace, hostname, signal }: LiveMigration,
): Promise<void> {
  const { metadata } = await client.create(
    VMIMS,
    {
      metadata: { generateName: 'rebalance-', namespace },
      spec: { vmiName: instance, addedNodeSelector: { [HOSTNAME]: hostname } },
    },
    { namespace },
  );
  const { name } = metadata;
  const where = { namespace, fieldSelector: `metadata.name=${name}`, signal };
  const failure = await watchUntil(client, VMIMS, where, (found) => {
    const { status } = found.get(name) ?? {};
    if (!found.has(name)) return 'the migration was cancelled';
    if (status?.phase === 'Succeeded') return '';
    if (status?.phase === 'Failed') return status.migrationState?.failureReason ?? 'the migration failed';
    const scheduled = conditionOf(status?.conditions, TARGET_SCHEDULED);
    return scheduled?.status === 'False' ? `not migrated: ${scheduled.message ?? 'no node fits'}` : undefined;
  });
  if (failure === '') return;
  await ignoreNotFound(client.delete(VMIMS, name, { namespace }));
  throw new Error(failure);
}

/** Returns the instance of that name, or undefined if it is gone. */
export function findInstance(client: Client, name: string, namespace: string): Promise<Vmi | undefined> {
  return ignoreNotFound(client.get(VMIS, name, { namespace }));
}
