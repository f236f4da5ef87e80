import { TemporaryError } from '#platform/base/errors';
import { timestamp } from '#platform/base/timestamp';
import { NAMESPACES, type Namespace } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { discover } from '#platform/runtime/discovery';
import { writeStatus } from '#platform/runtime/status';
import { conditionsAfter, isContentDeleted } from './conditions.ts';
import { deleteAllContent } from './delete-all-content.ts';

const FINALIZER = 'kubernetes';

/** Deletes the content of terminating namespaces, and finalizes them when nothing is left. */
export const namespaceController: Controller<Namespace> = {
  name: 'namespace',
  for: NAMESPACES,
  concurrency: 4,
  // Objects with pending finalizers are checked at growing intervals, up to a maximum.
  backOff: { first: 50, max: 15_000 },
  watches: [
    watchSource(PODS, ({ metadata: { namespace = '' } }, { cache }, { type }) =>
      type === 'deleted' && isDying(cache(NAMESPACES).get(namespace)) ? [namespace] : [],
    ),
  ],
  async reconcile(namespace, context) {
    if (!isDying(namespace) || !namespace.spec?.finalizers?.includes(FINALIZER)) return;
    try {
      await finish(namespace, context);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  },
};

const isDying = (namespace: Namespace | undefined) => namespace?.metadata.deletionTimestamp !== undefined;

async function finish(namespace: Namespace, { client, clock }: Context): Promise<void> {
  const { name = '' } = namespace.metadata;
  // Discovery runs every time, because objects of an overlooked kind would remain forever.
  const emptying = await deleteAllContent(client, await discover(client), name);
  const conditions = conditionsAfter(emptying, namespace.status?.conditions, timestamp(clock.now()));
  const reported = await writeStatus(client, NAMESPACES, namespace, {
    ...namespace.status,
    phase: 'Terminating',
    conditions,
  });
  if (!isContentDeleted(emptying)) throw new TemporaryError(`namespace ${name} is not empty yet`);
  const finalizers = (reported.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  await client.update(NAMESPACES, { ...reported, spec: { ...reported.spec, finalizers } }, { subresource: 'finalize' });
}
