import { jsonEqual } from '#platform/base/json-equal';
import type { Client, ResourceType } from '#platform/kube/client';
import { CONTROLLER_REVISIONS, type ControllerRevision } from '#platform/kube/kinds/workloads';
import { ignoreNotFound, isAlreadyExists } from '#platform/kube/kube-error';
import { type LabelSelectorSpec, labelSelectorOf, labelSelectorOfSet } from '#platform/kube/selectors/label-selector';
import { byController, controllerKey, uncontrolledIn } from '../cache.ts';
import type { Context } from '../controller.ts';
import type { Expectations } from '../expectations.ts';
import { keyOf } from '../key.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { writeStatus } from '../status.ts';
import {
  matchingRevision,
  newRevision,
  nextRevisionNumber,
  revisionData,
  type TemplateOwner,
} from './revision-history.ts';

export interface RevisionOwner extends TemplateOwner {
  readonly spec: TemplateOwner['spec'] & { readonly selector?: LabelSelectorSpec };
}

export interface Revisions {
  /** The revision of the present template. */
  readonly update: ControllerRevision;
  readonly history: readonly ControllerRevision[];
}

/**
 * Records the present template of an owner as its newest revision. `labels` select its revisions; they default to its
 * own selector.
 */
export async function syncRevisions<T extends RevisionOwner>(
  type: ResourceType<T>,
  owner: T,
  { client, cache }: Context,
  expectations: Expectations,
  labels?: Readonly<Record<string, string>>,
): Promise<Revisions> {
  const known = cache(CONTROLLER_REVISIONS);
  const near = [
    ...known.by(byController, controllerKey(owner)),
    ...known.by(uncontrolledIn, owner.metadata.namespace ?? ''),
  ];
  const selector = labels === undefined ? labelSelectorOf(owner.spec.selector) : labelSelectorOfSet(labels);
  const claiming = { client, ownerType: type, owner, type: CONTROLLER_REVISIONS, selector, expectations };
  const history = await claimObjects(claiming, near);
  const same = matchingRevision(owner, history);
  const update =
    same === undefined
      ? await createRevision(type, owner, history, client, labels)
      : await renew(same, history, client);
  expectations.wrote(keyOf(owner), update);
  return { update, history: [...history.filter(({ metadata }) => metadata.uid !== update.metadata.uid), update] };
}

/** Gives an older revision with the same template the newest number: this is how a rollback is recorded. */
async function renew(
  same: ControllerRevision,
  history: readonly ControllerRevision[],
  client: Client,
): Promise<ControllerRevision> {
  const newest = nextRevisionNumber(history) - 1;
  if (same.revision === newest) return same;
  return await client.update(CONTROLLER_REVISIONS, { ...same, revision: newest + 1 });
}

async function createRevision<T extends RevisionOwner>(
  type: ResourceType<T>,
  owner: T,
  history: readonly ControllerRevision[],
  client: Client,
  labels?: Readonly<Record<string, string>>,
): Promise<ControllerRevision> {
  const wanted = newRevision(type, owner, history, labels);
  const { name = '', namespace = '' } = wanted.metadata;
  try {
    return await client.create(CONTROLLER_REVISIONS, wanted);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const found = await client.get(CONTROLLER_REVISIONS, name, { namespace });
  if (jsonEqual(found.data, revisionData(owner))) return found;
  const collisionCount = (owner.status?.collisionCount ?? 0) + 1;
  await writeStatus(client, type, owner, { ...owner.status, collisionCount });
  throw new Error(`the name ${name} is taken; trying another`);
}

export async function deleteRevisions(revisions: readonly ControllerRevision[], client: Client): Promise<void> {
  for (const { metadata } of revisions) {
    const { name = '', namespace = '', uid = '' } = metadata;
    await ignoreNotFound(client.delete(CONTROLLER_REVISIONS, name, { namespace, preconditions: { uid } }));
  }
}
