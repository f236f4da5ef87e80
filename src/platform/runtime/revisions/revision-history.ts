import { jsonEqual } from '#platform/base/json-equal';
import type { NewObject, ResourceType } from '#platform/kube/client';
import type { ControllerRevision } from '#platform/kube/kinds/workloads';
import type { KubeObject } from '#platform/kube/kube-object';
import { controllerRef } from '../ownership/claim-objects.ts';
import { templateHash } from './template-hash.ts';

/** Label of a pod or revision that names the template that it was made from. */
export const REVISION_HASH = 'controller-revision-hash';

type Labels = Readonly<Record<string, string>>;

/** Owner of objects that are made from a template: pods of a set, or VMs of a pool. */
export interface TemplateOwner extends KubeObject {
  readonly spec: { readonly template: { readonly metadata?: { readonly labels?: Labels } } };
  readonly status?: { readonly collisionCount?: number };
}

/** The patch that restores a template, which is what a revision stores. */
export function revisionData({ spec }: TemplateOwner): object {
  return { spec: { template: { ...spec.template, $patch: 'replace' } } };
}

/** Orders revisions by number, then by age. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  const created = ({ metadata }: ControllerRevision) => metadata.creationTimestamp ?? '';
  const name = ({ metadata }: ControllerRevision) => metadata.name ?? '';
  if (a.revision !== b.revision) return a.revision - b.revision;
  if (created(a) !== created(b)) return created(a) < created(b) ? -1 : 1;
  return name(a) < name(b) ? -1 : 1;
}

/** Returns the newest revision with the template of the owner. */
export function matchingRevision(
  owner: TemplateOwner,
  history: readonly ControllerRevision[],
): ControllerRevision | undefined {
  const data = revisionData(owner);
  return history.toSorted(byRevision).findLast((each) => jsonEqual(each.data, data));
}

export const nextRevisionNumber = (history: readonly ControllerRevision[]): number =>
  Math.max(0, ...history.map(({ revision }) => revision)) + 1;

/** Builds the revision for a template that has none yet. `labels` are added to those of the template. */
export function newRevision<T extends TemplateOwner>(
  type: ResourceType<T>,
  owner: T,
  history: readonly ControllerRevision[],
  labels: Labels = {},
): NewObject<ControllerRevision> {
  const { name = '', namespace = '', annotations } = owner.metadata;
  const data = revisionData(owner);
  const hash = templateHash(data, owner.status?.collisionCount);
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...owner.spec.template.metadata?.labels, ...labels, [REVISION_HASH]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerRef(type, owner)],
    },
    data,
    revision: nextRevisionNumber(history),
  };
}

/** Returns the revisions beyond the limit that nothing uses any more, the oldest first. */
export function revisionsToPrune(
  history: readonly ControllerRevision[],
  isUsed: (revision: ControllerRevision) => boolean,
  limit: number,
): ControllerRevision[] {
  const unused = history.filter((each) => !isUsed(each)).toSorted(byRevision);
  return unused.slice(0, Math.max(0, unused.length - limit));
}
