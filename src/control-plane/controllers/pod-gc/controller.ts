import { timestamp } from '#platform/base/timestamp';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { awaitsListings, LISTINGS_RECHECK_MS } from '#platform/runtime/restored-nodes';
import { deleteWithDisruptionTarget } from '../node/disruption-target.ts';
import { byNode } from '../node/pods-by-node.ts';
import { classifyPod, LOST } from './plan.ts';

/** Time to wait for a missing node, since it may only not have been observed yet. */
const QUARANTINE_MS = 40_000;

/**
 * Deletes pods that nothing else will: those of deleted nodes, terminating ones without a node, and the oldest finished
 * ones.
 */
export function podGc({ mostFinished = 12_500 } = {}): Controller<Pod> {
  const missingSince = new Map<string, number>();
  const finished = new Map<string, string>();
  return {
    name: 'pod collector',
    for: PODS,
    watches: [
      watchSource(NODES, ({ metadata }, { cache }, { type, object, old }) => {
        if (type !== 'deleted') missingSince.delete(metadata.name ?? '');
        const same = type === 'updated' && JSON.stringify(object.spec?.taints) === JSON.stringify(old.spec?.taints);
        return same ? [] : [...cache(PODS).by(byNode, metadata.name ?? '')].map(keyOf);
      }),
    ],
    async reconcile(pod, context) {
      const { cache, client, clock } = context;
      const { nodeName = '' } = pod.spec;
      const verdict = classifyPod(pod, cache(NODES).get(nodeName));
      if (verdict.is === 'finished') finished.set(keyOf(pod), pod.metadata.creationTimestamp ?? '');
      else finished.delete(keyOf(pod));
      if (['stuck', 'lost'].includes(verdict.is) && nodeName !== '' && awaitsListings(context))
        return { requeueAfterMs: LISTINGS_RECHECK_MS };
      if (verdict.is === 'finished' && finished.size > mostFinished) await endOldest(context);
      if (verdict.is === 'stuck') await deleteWithDisruptionTarget(pod, verdict.ending, timestamp(clock.now()), client);
      if (verdict.is !== 'lost') return undefined;
      const since = missingSince.get(nodeName) ?? clock.now();
      missingSince.set(nodeName, since);
      const left = since + QUARANTINE_MS - clock.now();
      if (left > 0) return { requeueAfterMs: left };
      if (await isMissing(nodeName, context))
        await deleteWithDisruptionTarget(pod, LOST, timestamp(clock.now()), client);
      return undefined;
    },
    forget(key) {
      finished.delete(key);
    },
  };

  async function endOldest({ client, cache }: Context): Promise<void> {
    const oldest = [...finished].toSorted(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x < y ? -1 : 1));
    for (const [key] of oldest.slice(0, finished.size - mostFinished)) {
      finished.delete(key);
      const { name = '', namespace = '', uid = '' } = cache(PODS).get(key)?.metadata ?? {};
      const how = { namespace, gracePeriodSeconds: 0, preconditions: { uid } };
      await ignoreNotFound(client.delete(PODS, name, how));
    }
  }
}

async function isMissing(node: string, { client }: Context): Promise<boolean> {
  return (await ignoreNotFound(client.get(NODES, node))) === undefined;
}
