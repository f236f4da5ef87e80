import { POOL_LABEL } from '#api/novacron/pool-words';
import type { Pool } from '#api/novacron/resources';
import { VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { CONTROLLER_REVISIONS, type ControllerRevision } from '#platform/kube/kinds/workloads';

/** Returns the revisions of a pool's template, the newest first. */
export async function revisionsOf(client: Client, { metadata }: Pool): Promise<readonly ControllerRevision[]> {
  const { name, namespace, uid } = metadata;
  const { items } = await client.list(CONTROLLER_REVISIONS, { namespace, labelSelector: `${POOL_LABEL}=${name}` });
  return items
    .filter((each) => each.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
    .toSorted((a, b) => b.revision - a.revision);
}

/** Returns the template of a revision, or of the one before the present. */
export function templateBefore(
  { metadata }: Pool,
  revisions: readonly ControllerRevision[],
  number: number | undefined,
): object {
  const found = number === undefined ? revisions[1] : revisions.find(({ revision }) => revision === number);
  if (found === undefined) {
    const known = revisions.map(({ revision }) => revision).join(', ') || 'none';
    const what = number === undefined ? 'no former revision' : `no revision ${number}`;
    throw new VimanaError('NOT_FOUND', `VMPool "${metadata.namespace}/${metadata.name}" has ${what}`, {
      hint: `Known revisions: ${known}. List them with vimana pool history ${metadata.name}`,
    });
  }
  const data = found.data as { readonly spec: { readonly template: Record<string, unknown> } };
  const { $patch: _, ...template } = data.spec.template;
  return template;
}
