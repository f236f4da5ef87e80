import { VMIMS, VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import { conditionOf } from '#platform/kube/kinds/condition';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isConflict, isForbidden, isNamespaceTerminating, isNotFound } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import type { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import { createLauncherPod } from '#vm/engine/launcher/create-launcher-pod';
import type { MigrationAction } from './plan-migration.ts';
import { EVACUATION_LABEL, type MigrationSettings } from './settings.ts';
import {
  type MigrationState,
  type MigrationStatus,
  migrationOwnerReference,
  phaseOf,
  TARGET_SCHEDULED,
  withMigrationCondition,
} from './status.ts';
import { targetPod } from './target-pod.ts';

interface ExecutorDeps {
  readonly settings: MigrationSettings;
  /** Writes to pods and instances, by migration key. */
  readonly pods: Expectations;
  readonly instances: Expectations;
}

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
function anew(state: object, { status }: Vmi): object {
  const { migrationConfiguration: wanted } = state as Configured;
  if (wanted === undefined) return { ...FRESH, ...state };
  const last = (status?.migrationState ?? {}) as Configured;
  const none = Object.fromEntries(Object.keys(last.migrationConfiguration ?? {}).map((name) => [name, null]));
  return { ...FRESH, ...state, migrationConfiguration: { ...none, ...wanted } };
}

/** Creates the executor of actions that were planned for migrations. */
export function createMigrationExecutor({ settings, pods, instances }: ExecutorDeps) {
  async function makeTarget(vmim: Vmim, vmi: Vmi, source: Pod, context: Context): Promise<void> {
    const { cache, client, clock, events } = context;
    const claims = cache(PERSISTENT_VOLUME_CLAIMS);
    const claim = (name: string) => claims.get(keyIn(vmi.metadata.namespace, name));
    try {
      const pod = targetPod(vmim, vmi, source, settings.launcher, claim);
      const made = await createLauncherPod(client, vmi, vmim.metadata.uid, pod);
      pods.wrote(keyOf(vmim), made);
      events.event(vmim, 'Normal', 'SuccessfulCreate', `Created migration target pod ${keyOf(made)}`);
    } catch (error) {
      if (isForbidden(error) && !isNamespaceTerminating(error)) {
        const message = (error as Error).message;
        const refused = {
          type: 'MigrationRejectedByResourceQuota',
          status: 'True',
          reason: 'FailedCreate',
          message,
        } as const;
        const status = withMigrationCondition(vmim.status ?? {}, refused, clock.now());
        const written = await writeStatus(client, VMIMS, vmim, status);
        if (written !== vmim) events.event(vmim, 'Warning', 'FailedCreate', `Error creating pod: ${message}`);
      }
      throw error;
    }
  }

  /**
   * Patches a part of the status that belongs to a node agent, only if the instance is unchanged since the decision.
   */
  async function tell(vmim: Vmim, vmi: Vmi, status: object, { client }: Context): Promise<void> {
    const { name, namespace, resourceVersion } = vmi.metadata;
    const body = { metadata: { resourceVersion }, status };
    instances.wrote(
      keyOf(vmim),
      await client.patch(VMIS, name, { type: 'merge', body }, { namespace, subresource: 'status' }),
    );
  }

  async function remove(vmim: Vmim, pod: Pod, { client, events }: Context): Promise<void> {
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    try {
      const left = await client.delete(PODS, name, { namespace, preconditions: { uid } });
      if (left === undefined) pods.removed(keyOf(vmim), pod);
      else pods.wrote(keyOf(vmim), left);
      events.event(vmim, 'Normal', 'SuccessfulDelete', `Deleted pod ${name} that the machine is not in`);
    } catch (error) {
      // The object is gone, or another has its name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async function takeBack(vmim: Vmim, vmi: Vmi, { client, events }: Context): Promise<void> {
    const { name, namespace, uid } = vmim.metadata;
    await client.delete(VMIMS, name, { namespace, preconditions: { uid } });
    const message = `Deleted Migration ${name}: another size is asked for by now`;
    events.event(vmi, 'Normal', 'SuccessfulChangeAbortion', message);
  }

  async function report(
    vmim: Vmim,
    vmi: Vmi | undefined,
    status: MigrationStatus,
    { client, events }: Context,
  ): Promise<void> {
    const written = await writeStatus(client, VMIMS, vmim, status);
    if (written === vmim) return;
    if (vmi !== undefined) tellIfStuck(vmim, vmi, status, events);
    if (phaseOf(vmim) === status.phase) return;
    const { failureReason = '' } = status.migrationState ?? {};
    if (status.phase === 'Succeeded') {
      events.event(vmim, 'Normal', 'SuccessfulMigration', `Source node reported migration succeeded`);
    } else if (status.phase === 'Failed') {
      events.event(vmim, 'Warning', 'FailedMigration', failureReason);
      if (vmi !== undefined)
        events.event(vmi, 'Warning', 'FailedMigration', `migration ${vmim.metadata.name} failed: ${failureReason}`);
    } else if (status.phase === 'PreparingTarget' && vmi !== undefined) {
      events.event(vmi, 'Normal', 'PreparingTarget', `migration ${vmim.metadata.name} prepares its target`);
    }
  }

  /** Records on the instance and its VM that an evacuation is stuck, since the drain of the node waits for it. */
  function tellIfStuck({ metadata, status }: Vmim, vmi: Vmi, after: MigrationStatus, events: EventRecorder): void {
    const found = conditionOf(after.conditions, TARGET_SCHEDULED);
    const isNew = found?.status === 'False' && conditionOf(status?.conditions, TARGET_SCHEDULED)?.status !== 'False';
    if (!isNew || metadata.labels?.[EVACUATION_LABEL] === undefined) return;
    const message = `The machine cannot leave node ${vmi.status?.nodeName}, as no other fits it. It moves as soon as one does; until then, or until it is stopped, a drain waits: ${found.message}`;
    events.event(vmi, 'Warning', 'NoOtherNodeFits', message);
    const { namespace, ownerReferences = [] } = vmi.metadata;
    const vm = ownerReferences.find(({ controller }) => controller === true);
    if (vm === undefined) return;
    const { apiVersion, kind, name, uid } = vm;
    events.event({ apiVersion, kind, metadata: { name, namespace, uid } }, 'Warning', 'NoOtherNodeFits', message);
  }

  return async function act(
    action: ExecutableAction,
    vmim: Vmim,
    vmi: Vmi | undefined,
    context: Context,
  ): Promise<void> {
    if (action.do === 'report') return await report(vmim, vmi, action.status, context);
    if (action.do === 'remove') return await remove(vmim, action.pod, context);
    if (vmi === undefined) return;
    switch (action.do) {
      case 'make target':
        return await makeTarget(vmim, vmi, action.source, context);
      case 'belong': {
        const ownerReferences = [migrationOwnerReference(vmi)];
        await context.client.update(VMIMS, { ...vmim, metadata: { ...vmim.metadata, ownerReferences } });
        return;
      }
      case 'take back':
        return await takeBack(vmim, vmi, context);
      case 'announce':
        return await tell(vmim, vmi, { migrationState: anew(action.state, vmi) }, context);
      case 'abort':
        return await tell(vmim, vmi, { migrationState: { abortRequested: true } }, context);
      case 'call off': {
        const ended: MigrationState = {
          abortRequested: true,
          abortStatus: 'Succeeded',
          completed: true,
          failed: true,
          failureReason: action.failure,
          endTimestamp: timestamp(context.clock.now()),
        };
        return await tell(vmim, vmi, { migrationState: ended }, context);
      }
      case 'clear evacuation':
        return await tell(vmim, vmi, { evacuationNodeName: null }, context);
    }
  };
}
