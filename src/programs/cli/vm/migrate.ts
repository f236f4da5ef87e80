import { VMIMS, VMIS, type Vmi } from '#api/kubevirt/resources';
import { UsageError, VimanaError } from '#platform/base/errors';
import { NODES } from '#platform/kube/kinds/node';
import { isNotFound } from '#platform/kube/kube-error';
import { dialectOf } from '#vm/dialects/dialect-of';
import { definedFields } from '../../../platform/base/defined-fields.ts';
import { waitFor } from '../objects/wait.ts';
import { runOperation } from './operate.ts';
import { type PowerFlags, type PowerTarget, runningInstance, waitForInstance } from './power-target.ts';

/** Migrates a VM to another node in the way of its group. The returned function waits for completion. */
export async function migrateVm(target: PowerTarget): Promise<() => Promise<void>> {
  const instance = await runningInstance(target);
  await assertNodeExists(target);
  const { bandwidth, autoConverge, postCopy, cold } = target.flags;
  const inDetail = bandwidth !== undefined || autoConverge === false || postCopy === true || cold === true;
  if (inDetail) return migrateByOperation(target);
  const { migratesByRestart } = dialectOf(target.found.type.group);
  return migratesByRestart === true ? migrateByRestart(target, instance) : liveMigrate(target, instance);
}

/** Migrates by a VMOperation, which alone supports these options. */
function migrateByOperation(requested: PowerTarget): Promise<() => Promise<void>> {
  const { nodeSelector, targetNode, bandwidth, autoConverge, postCopy, cold } = requested.flags;
  if (nodeSelector !== undefined) {
    throw new UsageError(
      '--node-selector cannot be combined with --bandwidth, --no-auto-converge, --post-copy or --cold',
      {
        hint: 'Use --target-node instead.',
      },
    );
  }
  const live = cold === true ? { live: false } : {};
  return runOperation(requested, 'migrate', {
    ...definedFields({ targetNode, bandwidth, autoConverge, postCopy }),
    ...live,
  });
}

/**
 * Rejects a target node that does not exist, since the migration would wait for it until it times out. Users who may
 * not read nodes are trusted.
 */
async function assertNodeExists({ client, flags: { targetNode } }: PowerTarget): Promise<void> {
  if (targetNode === undefined) return;
  try {
    await client.get(NODES, targetNode);
  } catch (error) {
    if (!isNotFound(error)) return;
    throw new VimanaError('NOT_FOUND', `--target-node ${targetNode}: node not found`, {
      hint: 'List nodes with: kubectl get nodes',
      cause: error,
    });
  }
}

/** Restarts a simulated VM: its pod is created again, and the scheduler chooses the node. */
async function migrateByRestart(requested: PowerTarget, before: Vmi): Promise<() => Promise<void>> {
  const { client, name, namespace, flags } = requested;
  if (flags.nodeSelector !== undefined || flags.targetNode !== undefined) {
    const flag = flags.targetNode === undefined ? '--node-selector' : '--target-node';
    throw new UsageError(`${flag}: ${name} is a simulated VM, whose node the scheduler always chooses`);
  }
  const { uid, name: instance } = before.metadata;
  await client.delete(VMIS, instance, { namespace, preconditions: { uid } });
  return waitForInstance(requested, instance, 'to migrate', (now) => {
    if (now === undefined || now.metadata.uid === uid) return { at: 'Stopping' };
    const { phase = '', nodeName = '' } = now.status ?? {};
    if (phase !== 'Running') return { at: phase };
    const stays = nodeName === before.status?.nodeName;
    return {
      done: stays ? `Running on ${nodeName} again: the scheduler chose the same node` : `Running on ${nodeName}`,
    };
  });
}

/** Creates the migration itself, so that its name is known and its completion can be awaited. */
async function liveMigrate(target: PowerTarget, instance: Vmi): Promise<() => Promise<void>> {
  const { client, name, namespace, flags, parts } = target;
  const selector = selectorOf(flags);
  const migration = await client.create(
    VMIMS,
    {
      metadata: { generateName: 'kubevirt-migrate-vm-', namespace },
      spec: {
        vmiName: instance.metadata.name,
        ...(Object.keys(selector).length === 0 ? {} : { addedNodeSelector: selector }),
      },
    },
    { namespace, fieldManager: 'vimana-cli' },
  );
  return () =>
    waitFor(
      { ...parts, client },
      {
        type: VMIMS,
        name: migration.metadata.name,
        namespace,
        machine: name,
        what: `${name} to migrate`,
        progress(now) {
          if (now === undefined) return { failed: 'the migration was cancelled' };
          const phase = now.status?.phase ?? 'Pending';
          if (phase === 'Succeeded')
            return { done: `Running on ${now.status?.migrationState?.targetNode ?? 'another node'}` };
          if (phase !== 'Failed') return { at: phase };
          return { failed: now.status?.migrationState?.failureReason ?? 'the migration failed' };
        },
      },
      flags.timeout,
    );
}

/** Returns the labels that the target node must have. */
function selectorOf({ nodeSelector = [], targetNode }: PowerFlags): Record<string, string> {
  const pairs = nodeSelector.map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0) throw new UsageError(`--node-selector ${pair}: it must be key=value`);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return {
    ...Object.fromEntries(pairs),
    ...(targetNode === undefined ? {} : { 'kubernetes.io/hostname': targetNode }),
  };
}
