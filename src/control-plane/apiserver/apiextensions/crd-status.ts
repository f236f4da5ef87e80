import type { Crd, CrdCondition, CrdNames, CrdStatus } from './crd.ts';

/** Names that the CRDs of a group have been granted: resources in paths and kinds in objects. */
export interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Collects the names of the CRDs of a group. A CRD that is not accepted yet uses none. */
export function usedNames(definitions: Iterable<Crd>): UsedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of definitions) {
    const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * Computes the status of a CRD: its accepted names and whether it is served. The first to request a name gets it, and
 * an established CRD stays established.
 */
export function crdStatus(definition: Crd, used: UsedNames, now: string): CrdStatus {
  const before = definition.status ?? {};
  const { names, conflict } = acceptNames(definition.spec.names, before.acceptedNames, used);
  const accepted: CrdCondition =
    conflict === undefined
      ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found', now)
      : condition('NamesAccepted', 'False', conflict.reason, conflict.message, now);
  const named = setCondition({ ...before, acceptedNames: names }, accepted);
  const established = before.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  if (established === true) return named;
  return setCondition(
    named,
    conflict === undefined
      ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted', now)
      : condition('Established', 'False', 'NotAccepted', 'not all names are accepted', now),
  );
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

/** Accepts each free name. Of several conflicts, the last one is reported. */
function acceptNames(
  desired: CrdNames,
  own: CrdNames = { plural: '', kind: '' },
  { resources, kinds }: UsedNames,
): { names: CrdNames; conflict: Conflict | undefined } {
  let conflict: Conflict | undefined;
  const names: CrdNames = { ...own };
  const take = (
    field: 'plural' | 'singular' | 'kind' | 'listKind',
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = desired[field] ?? '';
    if (name !== own[field] && used.has(name)) conflict = { reason, message: inUse(name) };
    else if (name !== '') names[field] = name;
  };
  take('plural', resources, 'PluralConflict');
  take('singular', resources, 'SingularConflict');
  const mine = new Set([...(own.shortNames ?? []), own.plural, own.singular]);
  const short = desired.shortNames ?? [];
  const taken = short.filter((name) => !mine.has(name) && resources.has(name));
  if (taken.length > 0) {
    const messages = taken.map(inUse);
    const message = messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
    conflict = { reason: 'ShortNamesConflict', message };
  } else if (short.length > 0) names.shortNames = short;
  else delete names.shortNames;
  take('kind', kinds, 'KindConflict');
  take('listKind', kinds, 'ListKindConflict');
  if (desired.categories === undefined) delete names.categories;
  else names.categories = desired.categories;
  return { names, conflict };
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;

function condition(
  type: string,
  status: CrdCondition['status'],
  reason: string,
  message: string,
  lastTransitionTime: string,
): CrdCondition {
  return { type, status, lastTransitionTime, reason, message };
}

/** Sets a condition. It keeps its transition time if its status is unchanged. */
export function setCondition(status: CrdStatus, condition: CrdCondition): CrdStatus {
  const conditions = status.conditions ?? [];
  const known = conditions.find(({ type }) => type === condition.type);
  if (known === undefined) return { ...status, conditions: [...conditions, condition] };
  const lastTransitionTime =
    known.status === condition.status ? known.lastTransitionTime : condition.lastTransitionTime;
  return {
    ...status,
    conditions: conditions.map((each) => (each === known ? { ...condition, lastTransitionTime } : each)),
  };
}
