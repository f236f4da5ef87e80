import { JOBS } from '#platform/kube/kinds/batch';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { isTracked } from './job-pod.ts';
import { releasePod } from './release-pod.ts';

const SELECTION = { labelSelector: 'batch.kubernetes.io/job-name' };

/** Releases pods whose Job is gone: nobody counts them any more, and the finalizer would keep them forever. */
export const orphanedJobPods: Controller<Pod> = {
  name: 'orphaned job pods',
  for: PODS,
  selection: SELECTION,
  watches: [
    watchSource(JOBS, ({ metadata }, { cache }, { type }) => {
      if (type !== 'deleted') return [];
      const pods = [...cache(PODS, SELECTION).inNamespace(metadata.namespace ?? '')];
      return pods.filter((pod) => jobOf(pod)?.uid === metadata.uid).map(keyOf);
    }),
  ],
  async reconcile(pod, context) {
    if (isTracked(pod) && (await isOrphaned(pod, context))) await releasePod(context.client, pod);
  },
};

const jobOf = ({ metadata }: Pod) =>
  metadata.ownerReferences?.find(({ kind, controller }) => kind === 'Job' && controller === true);

async function isOrphaned(pod: Pod, { cache, client }: Context): Promise<boolean> {
  const owner = jobOf(pod);
  if (owner === undefined) return true;
  const { namespace = '' } = pod.metadata;
  if (cache(JOBS).get(keyIn(namespace, owner.name))?.metadata.uid === owner.uid) return false;
  try {
    // The cache may lag behind a Job that was just created.
    return (await client.get(JOBS, owner.name, { namespace })).metadata.uid !== owner.uid;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
