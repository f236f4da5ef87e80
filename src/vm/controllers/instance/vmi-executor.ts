import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { LAUNCHER_ANNOTATION, NODE_ANNOTATION } from '#api/launcher';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound, KubeError } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import type { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { adoptLauncherPod, createLauncherPod } from '#vm/engine/launcher/create-launcher-pod';
import { launcherPod } from '#vm/engine/launcher/launcher-pod';
import type { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';
import { transitionsOf } from '#vm/usage/instance-transitions';
import type { BudgetAction } from './budget.ts';
import type { OwnAddresses } from './own-addresses.ts';
import type { VmiAction } from './plan-vmi.ts';
import type { InstanceSettings } from './settings.ts';
import { type InstanceStatus, pendingStatus } from './status.ts';

interface ExecutorDeps {
  readonly settings: InstanceSettings;
  readonly addresses: OwnAddresses;
  /** Expectations for the pods of instances. */
  readonly expectations: Expectations;
  /** Expectations for the instances themselves. */
  readonly reported: Expectations;
  readonly throttle: TransientStatusThrottle;
}

/** Interval at which an instance without an address retries, even if none was released. */
const NO_ADDRESS_RETRY_MS = 10_000;

type ExecutableAction = Exclude<VmiAction, { readonly do: 'release' | 'await agent' }>;

export interface VmiExecutor {
  on(action: ExecutableAction, vmi: Vmi, context: Context): Promise<ReconcileResult | undefined>;
  onBudget(action: BudgetAction, context: Context): Promise<void>;
}

/** Creates the executor of actions that were planned for instances. */
export function createVmiExecutor({
  settings,
  addresses,
  expectations,
  reported,
  throttle,
}: ExecutorDeps): VmiExecutor {
  async function report(vmi: Vmi, status: InstanceStatus, context: Context): Promise<void> {
    const written = await write(vmi, status, context);
    if (written !== vmi) reported.wrote(keyOf(vmi), written);
  }

  /** Returns when to check whether a transient state still holds, or undefined if it should be written now. */
  function afterCrowd(vmi: Vmi, state: string, { clock }: Context): ReconcileResult | undefined {
    const requeueAfterMs = throttle.delay(keyOf(vmi), state, clock.monotonic());
    return requeueAfterMs > 0 ? { requeueAfterMs } : undefined;
  }

  async function create(seen: Vmi, context: Context): Promise<ReconcileResult | undefined> {
    const { cache, client, clock, events } = context;
    const { vmi, problem } = await addresses.assign(seen, context);
    if (problem !== undefined) {
      await report(seen, pendingStatus(seen, problem, clock.now()), context);
      return { requeueAfterMs: NO_ADDRESS_RETRY_MS };
    }
    const claims = cache(PERSISTENT_VOLUME_CLAIMS);
    const launcher = launcherPod(vmi, settings.launcher, (name) => claims.get(keyIn(vmi.metadata.namespace, name)));
    const node = vmi.metadata.annotations?.[NODE_ANNOTATION];
    const pod = node === undefined ? launcher : { ...launcher, spec: { ...launcher.spec, nodeName: node } };
    const began = clock.monotonic();
    // The throttle is informed before the pod exists, so that its creation triggers no reconcile.
    const again = afterCrowd(vmi, 'Scheduling', context);
    try {
      const settled = vmi.metadata.annotations?.[LAUNCHER_ANNOTATION];
      const made =
        settled === undefined
          ? await createLauncherPod(client, vmi, vmi.metadata.uid, pod)
          : await adoptLauncherPod(client, vmi, pod, settled);
      throttle.wrote(clock.monotonic() - began);
      expectations.wrote(keyOf(vmi), made);
      events.event(vmi, 'Normal', 'SuccessfulCreate', `Created virtual machine pod ${made.metadata.name}`);
      return again;
    } catch (error) {
      if (!(error instanceof KubeError) || isNamespaceTerminating(error)) throw error;
      const blocker = { reason: 'FailedCreate', message: `failed to create virtual machine pod: ${error.message}` };
      await report(vmi, pendingStatus(vmi, blocker, clock.now()), context);
      throw error;
    }
  }

  async function remove(vmi: Vmi, pod: Pod, force: boolean, { client, events }: Context): Promise<void> {
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = pod.metadata;
    try {
      const left = await client.delete(PODS, name, {
        namespace,
        // A node agent that is back may have adopted the pod since it was observed.
        ...(force ? { gracePeriodSeconds: 0, preconditions: { uid, resourceVersion } } : { preconditions: { uid } }),
      });
      if (left === undefined) expectations.removed(keyOf(vmi), pod);
      else expectations.wrote(keyOf(vmi), left);
      events.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted virtual machine pod ${name}`);
    } catch (error) {
      // The pod is gone, or another has its name. A forced delete fails on a conflict and is retried after a new
      // observation.
      if (!isNotFound(error) && (force || !isConflict(error))) throw error;
    }
  }

  async function annotate(
    vmi: Vmi,
    { metadata }: Pod,
    annotations: Readonly<Record<string, string>>,
    { client }: Context,
  ): Promise<void> {
    const { name = '', namespace = '', uid = '' } = metadata;
    const body = { metadata: { uid, annotations } };
    try {
      expectations.wrote(keyOf(vmi), await client.patch(PODS, name, { type: 'merge', body }, { namespace }));
    } catch (error) {
      // The pod is gone, or another has its name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  return {
    async on(action, vmi, context) {
      switch (action.do) {
        case 'create':
          return await create(vmi, context);
        case 'delete':
          await remove(vmi, action.pod, action.force, context);
          return undefined;
        case 'annotate':
          await annotate(vmi, action.pod, action.annotations, context);
          return undefined;
        case 'requeue':
          return { requeueAfterMs: action.requeueAfterMs };
        case 'report': {
          const { status } = action;
          const again = action.transient ? afterCrowd(vmi, status.phase ?? '', context) : undefined;
          if (again !== undefined) return again;
          await report(vmi, status, context);
          return undefined;
        }
      }
    },
    async onBudget(action, { client }) {
      try {
        if (action.do === 'make') {
          await client.create(POD_DISRUPTION_BUDGETS, action.budget);
          return;
        }
        const { name = '', namespace = '', uid = '' } = action.budget.metadata;
        if (action.do === 'remove') {
          await client.delete(POD_DISRUPTION_BUDGETS, name, { namespace, preconditions: { uid } });
        } else {
          const body = { metadata: { uid }, spec: { minAvailable: action.minAvailable } };
          await client.patch(POD_DISRUPTION_BUDGETS, name, { type: 'merge', body }, { namespace });
        }
      } catch (error) {
        // The write was done before, and the cache does not show it yet.
        if (!isAlreadyExists(error) && !isNotFound(error) && !isConflict(error)) throw error;
      }
    },
  };
}

/** Writes a status and records events for transitions and new problems. */
async function write(vmi: Vmi, status: InstanceStatus, { client, events }: Context): Promise<Vmi> {
  const written = await writeStatus(client, VMIS, vmi, status);
  // The scheduler records events for unschedulable pods itself.
  if (written === vmi || status.phase === 'Scheduling') return written;
  const failed = status.phase === 'Failed' && vmi.status?.phase !== 'Failed';
  // The failure event follows below, with its known cause.
  for (const { type, reason, message } of failed ? [] : transitionsOf(vmi, written)) {
    events.event(written, type, reason, message);
  }
  const { reason, message } =
    status.conditions?.find(
      ({ type, status: state }) => type === (failed ? 'Ready' : 'Synchronized') && state === 'False',
    ) ?? {};
  if (reason !== undefined && (failed || reason !== syncReason(vmi))) {
    events.event(vmi, 'Warning', reason, message ?? '');
  }
  return written;
}

const syncReason = ({ status }: Vmi) => status?.conditions?.find(({ type }) => type === 'Synchronized')?.reason;
