import { SNAPSHOT_FINALIZER } from '#api/disk/request';
import { TEMPLATE_FINALIZER } from '#api/hypersdk/template-use';
import { INSTANCE_FINALIZER, VM_FINALIZER } from '#api/instance-request';
import { OPERATION_FINALIZER } from '#api/operation-request';
import type { ResourceType } from '#platform/kube/client';
import { ignoreNotFound, isConflict, isGone } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { InstallDeps } from '#programs/cli/install';

/** Time for an operator to become visible. */
const TIMEOUT_MS = 10_000;

interface FinalizedObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/**
 * Reports whether an operator manages an object that has our finalizer. An operator without a lease is detected by its
 * restoring a deleted finalizer. If none does, the finalizer is restored here.
 */
export async function hasActiveOperator(finalized: FinalizedObject, ms: number, parts: InstallDeps): Promise<boolean> {
  const { type, object } = finalized;
  const { client, clock, signal } = parts;
  const { name = '', namespace = '', finalizers = [] } = object.metadata;
  const finalizer = finalizers.find(isOfOperator) ?? '';
  const others = finalizers.filter((each) => each !== finalizer);
  const write = (list: readonly string[], of: KubeObject) => {
    const body = { metadata: { finalizers: list, resourceVersion: of.metadata.resourceVersion } };
    return ignoreNotFound(client.patch(type, name, { type: 'merge', body }, { namespace }));
  };
  const isBack = ({ metadata }: KubeObject) => metadata.finalizers?.includes(finalizer) === true;
  const putBack = async (): Promise<void> => {
    const now = await ignoreNotFound(client.get(type, name, { namespace }));
    if (now === undefined || isBack(now)) return;
    const written = write([...(now.metadata.finalizers ?? []), finalizer], now);
    await written.catch((error: unknown) => (isConflict(error) ? putBack() : Promise.reject(error)));
  };
  const without = await write(others, object);
  if (without === undefined || isBack(without)) return true;
  const over = new AbortController();
  const timer = clock.timer(Math.min(ms, TIMEOUT_MS), () => over.abort());
  try {
    const options = {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      signal: AbortSignal.any([signal, over.signal]),
    };
    for await (const event of client.watch(type, {
      ...options,
      resourceVersion: without.metadata.resourceVersion ?? '',
    })) {
      if (event.type === 'DELETED' || (event.type === 'MODIFIED' && isBack(event.object))) return true;
    }
  } catch (error) {
    if (!over.signal.aborted && !signal.aborted && !isGone(error)) throw error;
  } finally {
    timer.cancel();
    await putBack();
  }
  signal.throwIfAborted();
  return false;
}

/** Reports whether the object has our finalizer and is not terminating yet. */
export const hasOurFinalizer = ({ metadata }: KubeObject) =>
  metadata.deletionTimestamp === undefined && metadata.finalizers?.some(isOfOperator) === true;

const OF_OPERATOR = new Set([
  VM_FINALIZER,
  INSTANCE_FINALIZER,
  TEMPLATE_FINALIZER,
  SNAPSHOT_FINALIZER,
  OPERATION_FINALIZER,
]);
const isOfOperator = (finalizer: string) => OF_OPERATOR.has(finalizer);
