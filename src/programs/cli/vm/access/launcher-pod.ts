import { COMPUTE_CONTAINER, CREATED_BY_LABEL } from '#api/launcher';
import { VimanaError } from '#platform/base/errors';
import { PODS } from '#platform/kube/kinds/pod';
import type { GuestTarget } from './guest-target.ts';

/** Returns the path of a subresource of the pod that runs an instance, such as `log` or `exec`. */
export async function launcherPath(target: GuestTarget, subresource: string, query: URLSearchParams): Promise<string> {
  const { connection, instance, namespace, name } = target;
  const labelSelector = `${CREATED_BY_LABEL}=${instance.metadata.uid}`;
  const { items } = await connection.client.list(PODS, { namespace, labelSelector });
  const pod = items.find(({ spec }) => spec.nodeName === instance.status?.nodeName) ?? items[0];
  if (pod === undefined)
    throw new VimanaError('NOT_RUNNING', `${name} has no pod yet`, { hint: `vimana vm events ${name}` });
  query.set('container', COMPUTE_CONTAINER);
  return `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/${subresource}?${query.toString()}`;
}
