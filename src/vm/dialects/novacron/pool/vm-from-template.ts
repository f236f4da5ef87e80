import { POOL_LABEL } from '#api/novacron/pool-words';
import { type NovacronVm, type Pool, VM_POOLS } from '#api/novacron/resources';
import type { NewObject } from '#platform/kube/client';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { REVISION_HASH } from '#platform/runtime/revisions/revision-history';

export type PoolTemplate = Pool['spec']['template'];

/** Source of a new VM: a template, and the name of its revision. */
export interface TemplateRevision {
  readonly hash: string;
  readonly template: PoolTemplate;
}

/** Reports whether VMs of the template have something to boot from. */
export const hasImage = ({ spec }: PoolTemplate, defaultImage: string | undefined): boolean =>
  spec.image !== undefined || defaultImage !== undefined;

/**
 * Builds a VM of a pool. The pool's label is on the VM, so that the pool owns it, and in its template, so that the
 * selector of the pool also matches its pod.
 */
export function vmFromTemplate(
  pool: Pool,
  { hash, template }: TemplateRevision,
  name: string,
  defaultImage: string | undefined,
): NewObject<NovacronVm> {
  const { labels = {}, annotations } = template.metadata ?? {};
  const { name: owner, namespace } = pool.metadata;
  const own = { ...labels, [POOL_LABEL]: owner };
  const noted = annotations === undefined ? {} : { annotations };
  const image = template.spec.image ?? (defaultImage === undefined ? undefined : { source: defaultImage });
  const spec = { ...template.spec, ...(image === undefined ? {} : { image }) };
  return {
    metadata: {
      name,
      namespace,
      labels: { ...own, [REVISION_HASH]: hash },
      ...noted,
      ownerReferences: [controllerRef(VM_POOLS, pool)],
    },
    spec: { template: { ...template, metadata: { ...template.metadata, labels: own }, spec } },
  };
}
