import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { InstanceStatus } from '#api/kubevirt/virtual-machine-instance';
import { LAUNCHER_ANNOTATION, NODE_ANNOTATION } from '#api/launcher';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isConflict, isNamespaceTerminating, isNotFound, KubeError } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { adoptLauncherPod, createLauncherPod } from '#vm/engine/launcher/create-launcher-pod';
import { launcherPod, type NewPod } from '#vm/engine/launcher/launcher-pod';
import type { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';
import { transitionsOf } from '#vm/usage/instance-transitions';
import type { InstanceScope } from './instance-entry.ts';
import type { OwnAddresses } from './own-addresses.ts';
import type { VmiAction } from './plan-vmi.ts';
import type { InstanceSettings } from './settings.ts';
import { pendingInstanceStatus } from './status.ts';

interface ExecutorDeps {
  readonly settings: InstanceSettings;
  readonly addresses: OwnAddresses;
  readonly throttle: TransientStatusThrottle;
}

/** Interval at which an instance without an address retries, even if none was released. */
const NO_ADDRESS_RETRY_MS = 10_000;

type ExecutableAction = Exclude<VmiAction, { readonly do: 'release' | 'await agent' }>;

/** Executes actions that were planned for instances. */
export class VmiExecutor {
  readonly #deps: ExecutorDeps;

  constructor(deps: ExecutorDeps) {
    this.#deps = deps;
  }

  async execute(action: ExecutableAction, scope: InstanceScope): Promise<ReconcileResult | undefined> {
    switch (action.do) {
      case 'create':
        return await this.#create(scope);
      case 'delete':
        await deletePod(action.pod, action.force, scope);
        return undefined;
      case 'annotate':
        await annotatePod(action.pod, action.annotations, scope);
        return undefined;
      case 'requeue':
        return { requeueAfterMs: action.requeueAfterMs };
      case 'report': {
        const { status, transient } = action;
        const again = transient ? this.#delayOf(status.phase ?? '', scope) : undefined;
        if (again !== undefined) return again;
        await report(status, scope);
        return undefined;
      }
    }
  }

  /** Returns when to check whether a transient state still holds, or undefined if it should be written now. */
  #delayOf(state: string, { vmi, context }: InstanceScope): ReconcileResult | undefined {
    const requeueAfterMs = this.#deps.throttle.delay(keyOf(vmi), state, context.clock.monotonic());
    return requeueAfterMs > 0 ? { requeueAfterMs } : undefined;
  }

  async #create(seen: InstanceScope): Promise<ReconcileResult | undefined> {
    const { addresses } = this.#deps;
    const { context } = seen;
    const { vmi, problem } = await addresses.assign(seen.vmi, context);
    if (problem !== undefined) {
      await report(pendingInstanceStatus(seen.vmi, problem, context.clock.now()), seen);
      return { requeueAfterMs: NO_ADDRESS_RETRY_MS };
    }
    const scope = { ...seen, vmi };
    const pod = this.#podFor(scope);
    try {
      return await this.#createPod(scope, pod);
    } catch (error) {
      if (!(error instanceof KubeError) || isNamespaceTerminating(error)) throw error;
      const blocker = { reason: 'FailedCreate', message: `failed to create virtual machine pod: ${error.message}` };
      await report(pendingInstanceStatus(vmi, blocker, context.clock.now()), scope);
      throw error;
    }
  }

  #podFor({ vmi, context }: InstanceScope): NewPod {
    const claims = context.cache(PERSISTENT_VOLUME_CLAIMS);
    const claim = (name: string) => claims.get(keyIn(vmi.metadata.namespace, name));
    const pod = launcherPod(vmi, this.#deps.settings.launcher, claim);
    const node = vmi.metadata.annotations?.[NODE_ANNOTATION];
    return node === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName: node } };
  }

  async #createPod(scope: InstanceScope, pod: NewPod): Promise<ReconcileResult | undefined> {
    const { vmi, entry, context } = scope;
    const { client, clock, events } = context;
    const began = clock.monotonic();
    // The throttle is informed before the pod exists, so that its creation triggers no reconcile.
    const again = this.#delayOf('Scheduling', scope);
    const settled = vmi.metadata.annotations?.[LAUNCHER_ANNOTATION];
    const made =
      settled === undefined
        ? await createLauncherPod(client, vmi, vmi.metadata.uid, pod)
        : await adoptLauncherPod(client, vmi, pod, settled);
    this.#deps.throttle.wrote(clock.monotonic() - began);
    entry.podWrites.wrote(made);
    events.event(vmi, 'Normal', 'SuccessfulCreate', `Created virtual machine pod ${made.metadata.name}`);
    return again;
  }
}

async function deletePod(pod: Pod, force: boolean, { vmi, entry, context }: InstanceScope): Promise<void> {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = pod.metadata;
  try {
    const left = await context.client.delete(PODS, name, {
      namespace,
      // A node agent that is back may have adopted the pod since it was observed.
      ...(force ? { gracePeriodSeconds: 0, preconditions: { uid, resourceVersion } } : { preconditions: { uid } }),
    });
    if (left === undefined) entry.podWrites.removed(pod);
    else entry.podWrites.wrote(left);
    context.events.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted virtual machine pod ${name}`);
  } catch (error) {
    // The pod is gone, or another has its name. A forced delete fails on a conflict and is retried after a new
    // observation.
    if (!isNotFound(error) && (force || !isConflict(error))) throw error;
  }
}

async function annotatePod(
  { metadata }: Pod,
  annotations: Readonly<Record<string, string>>,
  { entry, context }: InstanceScope,
): Promise<void> {
  const { name = '', namespace = '', uid = '' } = metadata;
  const body = { metadata: { uid, annotations } };
  try {
    entry.podWrites.wrote(await context.client.patch(PODS, name, { type: 'merge', body }, { namespace }));
  } catch (error) {
    // The pod is gone, or another has its name.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function report(status: InstanceStatus, { vmi, entry, context }: InstanceScope): Promise<void> {
  const written = await write(vmi, status, context);
  if (written !== vmi) entry.instanceWrites.wrote(written);
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
