import type { Vmi } from '#api/kubevirt/resources';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { CREATED_BY_LABEL } from '#api/launcher';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { byController, controllerKey } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { awaitsListings } from '#platform/runtime/restored-nodes';
import { AdmissionRechecks } from '#vm/engine/admission-recheck';
import { claimNames } from '#vm/engine/launcher/volumes';
import type { InstanceScope } from './instance-entry.ts';
import { isKwokManaged } from './kwok-agent.ts';
import type { NodeWatch } from './node-watch.ts';
import { currentPod, isBound, nodeOf } from './own-pods.ts';
import type { InstanceView } from './plan-vmi.ts';
import type { InstanceSettings } from './settings.ts';

/** Collects the current state that an instance is decided by. */
export class InstanceObserver {
  readonly #nodes: NodeWatch;
  readonly #rechecks: AdmissionRechecks;

  constructor(nodes: NodeWatch, recheck: InstanceSettings['recheck']) {
    this.#nodes = nodes;
    this.#rechecks = new AdmissionRechecks(virtualMachineInstance, recheck);
  }

  async observe({ vmi, entry, context }: InstanceScope): Promise<InstanceView> {
    const { cache, clock } = context;
    const pods = await podsOf(vmi, context);
    const abandoned = entry.abandonedNode(vmi);
    const node = nodeOf(vmi, currentPod(vmi, pods)) || (abandoned ?? '');
    const lost = await this.#lostAmong([node, ...pods.map(({ spec }) => spec.nodeName ?? '')], context);
    const rejection = pods.length > 0 ? undefined : this.#rechecks.of(keyOf(vmi), vmi);
    // After a restore, node agents report nothing until all nodes have listed what they run.
    if (awaitsListings(context)) entry.oweNothing();
    return {
      vmi,
      pods,
      lost,
      kwokManaged: node !== '' && isKwokManaged(cache(NODES).get(node)),
      ...(rejection === undefined ? {} : { rejection }),
      ...claimProblems(vmi, pods, context),
      ...(abandoned === undefined ? {} : { abandoned }),
      owedMs: entry.owedMs(vmi, clock.monotonic()),
      now: clock.now(),
    };
  }

  forget(key: string): void {
    this.#rechecks.forget(key);
  }

  async #lostAmong(nodes: readonly string[], context: Context): Promise<Set<string>> {
    const lost = new Set<string>();
    for (const name of new Set(nodes)) {
      if (name === '' || !(await this.#nodes.isLost(name, context))) continue;
      await this.#nodes.close(name, context);
      lost.add(name);
    }
    return lost;
  }
}

async function podsOf(vmi: Vmi, { cache, client }: Context): Promise<readonly Pod[]> {
  const pods = [...cache(PODS).by(byController, controllerKey(vmi))];
  if (pods.length > 0 || !hadPod(vmi)) return pods;
  // An instance that should have a pod is only considered without one if the server confirms it.
  const { namespace, uid } = vmi.metadata;
  const { items } = await client.list(PODS, { namespace, labelSelector: `${CREATED_BY_LABEL}=${uid}` });
  return items;
}

/** Reports whether the status says that the instance has, or had, a pod. */
function hadPod({ status }: Vmi): boolean {
  return ['Scheduling', 'Scheduled', 'Running'].includes(status?.phase ?? '');
}

/** Returns the first claim that keeps the pod from being created, and the first that keeps it from being bound. */
function claimProblems(
  { metadata, spec }: Vmi,
  pods: readonly Pod[],
  { cache }: Context,
): Pick<InstanceView, 'missingClaim' | 'unboundClaim'> {
  const claims = cache(PERSISTENT_VOLUME_CLAIMS);
  const claim = (name: string) => claims.get(keyIn(metadata.namespace, name));
  const waits = pods.some((pod) => !isBound(pod));
  const missing = pods.length > 0 ? undefined : claimNames(spec).find((name) => claim(name) === undefined);
  const unbound = waits ? claimNames(spec).find((name) => claim(name)?.status?.phase !== 'Bound') : undefined;
  return {
    ...(missing === undefined ? {} : { missingClaim: missing }),
    ...(unbound === undefined ? {} : { unboundClaim: unbound }),
  };
}
