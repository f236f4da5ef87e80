import { VMIMS, VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf } from '#platform/kube/kinds/condition';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isConflict, isForbidden, isNamespaceTerminating, isNotFound } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { keyIn, keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import { createLauncherPod } from '#vm/engine/launcher/create-launcher-pod';
import type { MigrationScope } from './migration-entry.ts';
import type { MigrationAction } from './plan-migration.ts';
import { EVACUATION_LABEL, type MigrationSettings } from './settings.ts';
import {
  type MigrationState,
  type MigrationStatus,
  migrationOwnerReference,
  migrationPhaseOf,
  TARGET_SCHEDULED,
  withMigrationCondition,
} from './status.ts';
import { targetPod } from './target-pod.ts';

type ExecutableAction = Exclude<MigrationAction, { readonly do: 'release' | 'requeue' }>;

/** Resets all fields that a new migration must not inherit from the last one. */
const FRESH = {
  sourceNode: null,
  targetNode: null,
  sourcePod: null,
  targetPod: null,
  targetNodeAddress: null,
  targetNodeDomainDetected: null,
  startTimestamp: null,
  endTimestamp: null,
  mode: null,
  totalBytes: null,
  transferredBytes: null,
  downtimeMs: null,
  expectedEndTimestamp: null,
  completed: null,
  failed: null,
  failureReason: null,
  abortRequested: null,
  abortStatus: null,
  migrationConfiguration: null,
};

type Configured = { readonly migrationConfiguration?: object };

/** Returns the state of a new migration without leftovers of the last one. */
function freshMigrationState(state: object, { status }: Vmi): object {
  const { migrationConfiguration: desired } = state as Configured;
  if (desired === undefined) return { ...FRESH, ...state };
  const last = (status?.migrationState ?? {}) as Configured;
  const none = Object.fromEntries(Object.keys(last.migrationConfiguration ?? {}).map((name) => [name, null]));
  return { ...FRESH, ...state, migrationConfiguration: { ...none, ...desired } };
}

/** Executes an action that was planned for a migration. */
export async function executeMigrationAction(
  action: ExecutableAction,
  scope: MigrationScope,
  settings: Pick<MigrationSettings, 'launcher'>,
): Promise<void> {
  const { vmim, vmi, context } = scope;
  if (action.do === 'report') return await report(action.status, scope);
  if (action.do === 'remove') return await deletePod(action.pod, scope);
  if (vmi === undefined) return;
  switch (action.do) {
    case 'make target':
      return await createTarget(vmi, action.source, scope, settings);
    case 'belong': {
      const ownerReferences = [migrationOwnerReference(vmi)];
      await context.client.update(VMIMS, { ...vmim, metadata: { ...vmim.metadata, ownerReferences } });
      return;
    }
    case 'take back':
      return await takeBack(vmi, scope);
    case 'announce':
      return await patchInstance(vmi, { migrationState: freshMigrationState(action.state, vmi) }, scope);
    case 'abort':
      return await patchInstance(vmi, { migrationState: { abortRequested: true } }, scope);
    case 'call off':
      return await patchInstance(vmi, { migrationState: calledOff(action.failure, context.clock.now()) }, scope);
    case 'clear evacuation':
      return await patchInstance(vmi, { evacuationNodeName: null }, scope);
  }
}

function calledOff(failureReason: string, now: number): MigrationState {
  return {
    abortRequested: true,
    abortStatus: 'Succeeded',
    completed: true,
    failed: true,
    failureReason,
    endTimestamp: timestamp(now),
  };
}

async function createTarget(
  vmi: Vmi,
  source: Pod,
  { vmim, entry, context }: MigrationScope,
  { launcher }: Pick<MigrationSettings, 'launcher'>,
): Promise<void> {
  const claims = context.cache(PERSISTENT_VOLUME_CLAIMS);
  const claim = (name: string) => claims.get(keyIn(vmi.metadata.namespace, name));
  try {
    const pod = targetPod(vmim, vmi, source, launcher, claim);
    const made = await createLauncherPod(context.client, vmi, vmim.metadata.uid, pod);
    entry.podWrites.wrote(made);
    context.events.event(vmim, 'Normal', 'SuccessfulCreate', `Created migration target pod ${keyOf(made)}`);
  } catch (error) {
    if (isForbidden(error) && !isNamespaceTerminating(error)) {
      await reportRejection(vmim, (error as Error).message, context);
    }
    throw error;
  }
}

async function reportRejection(vmim: Vmim, message: string, { client, clock, events }: Context): Promise<void> {
  const rejected = {
    type: 'MigrationRejectedByResourceQuota',
    status: 'True',
    reason: 'FailedCreate',
    message,
  } as const;
  const status = withMigrationCondition(vmim.status ?? {}, rejected, clock.now());
  const written = await writeStatus(client, VMIMS, vmim, status);
  if (written !== vmim) events.event(vmim, 'Warning', 'FailedCreate', `Error creating pod: ${message}`);
}

/** Patches a part of the status that belongs to a node agent, only if the instance is unchanged since the decision. */
async function patchInstance(vmi: Vmi, status: object, { entry, context }: MigrationScope): Promise<void> {
  const { name, namespace, resourceVersion } = vmi.metadata;
  const body = { metadata: { resourceVersion }, status };
  const options = { namespace, subresource: 'status' };
  entry.instanceWrites.wrote(await context.client.patch(VMIS, name, { type: 'merge', body }, options));
}

async function deletePod(pod: Pod, { vmim, entry, context }: MigrationScope): Promise<void> {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  try {
    const left = await context.client.delete(PODS, name, { namespace, preconditions: { uid } });
    if (left === undefined) entry.podWrites.removed(pod);
    else entry.podWrites.wrote(left);
    context.events.event(vmim, 'Normal', 'SuccessfulDelete', `Deleted unused migration pod ${name}`);
  } catch (error) {
    // The object is gone, or another has its name.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function takeBack(vmi: Vmi, { vmim, context }: MigrationScope): Promise<void> {
  const { name, namespace, uid } = vmim.metadata;
  await context.client.delete(VMIMS, name, { namespace, preconditions: { uid } });
  const message = `Deleted Migration ${name}: the requested size has changed`;
  context.events.event(vmi, 'Normal', 'SuccessfulChangeAbortion', message);
}

async function report(status: MigrationStatus, { vmim, vmi, context }: MigrationScope): Promise<void> {
  const { client, events } = context;
  const written = await writeStatus(client, VMIMS, vmim, status);
  if (written === vmim) return;
  if (vmi !== undefined) recordIfStuck(vmim, vmi, status, events);
  if (migrationPhaseOf(vmim) !== status.phase) recordPhase(vmim, vmi, status, events);
}

function recordPhase(
  vmim: Vmim,
  vmi: Vmi | undefined,
  { phase, migrationState }: MigrationStatus,
  events: EventRecorder,
): void {
  const { failureReason = '' } = migrationState ?? {};
  if (phase === 'Succeeded') {
    events.event(vmim, 'Normal', 'SuccessfulMigration', `Source node reported migration succeeded`);
  } else if (phase === 'Failed') {
    events.event(vmim, 'Warning', 'FailedMigration', failureReason);
    if (vmi !== undefined)
      events.event(vmi, 'Warning', 'FailedMigration', `migration ${vmim.metadata.name} failed: ${failureReason}`);
  } else if (phase === 'PreparingTarget' && vmi !== undefined) {
    events.event(vmi, 'Normal', 'PreparingTarget', `migration ${vmim.metadata.name} is preparing its target`);
  }
}

/** Records on the instance and its VM that an evacuation is stuck, since the drain of the node waits for it. */
function recordIfStuck({ metadata, status }: Vmim, vmi: Vmi, after: MigrationStatus, events: EventRecorder): void {
  const found = conditionOf(after.conditions, TARGET_SCHEDULED);
  const isNew = found?.status === 'False' && conditionOf(status?.conditions, TARGET_SCHEDULED)?.status !== 'False';
  if (!isNew || metadata.labels?.[EVACUATION_LABEL] === undefined) return;
  const message = `Cannot evacuate node ${vmi.status?.nodeName}: no other node fits the VM. A drain waits until one does, or until the VM is stopped: ${found.message}`;
  events.event(vmi, 'Warning', 'NoOtherNodeFits', message);
  const { namespace, ownerReferences = [] } = vmi.metadata;
  const vm = ownerReferences.find(({ controller }) => controller === true);
  if (vm === undefined) return;
  const { apiVersion, kind, name, uid } = vm;
  events.event({ apiVersion, kind, metadata: { name, namespace, uid } }, 'Warning', 'NoOtherNodeFits', message);
}
