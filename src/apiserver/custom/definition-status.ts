import type { Definition, DefinitionCondition, DefinitionNames, DefinitionStatus } from './definition.ts';
import { storageVersion } from './definition.ts';

/** Names that another definition of the group already has. */
export type Taken = (name: keyof DefinitionNames, value: string) => boolean;

/** The status that a definition should have: which of its names are its own, and whether it is served. */
export function statusOf(definition: Definition, taken: Taken, now: string): DefinitionStatus {
  const { names } = definition.spec;
  const before = definition.status ?? {};
  const conflict = conflictOf(names, taken);
  const accepted = conflict === undefined;
  const wasEstablished =
    before.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
  const conditions = [
    accepted
      ? condition(before, 'NamesAccepted', 'True', 'NoConflicts', 'no conflicts found', now)
      : condition(before, 'NamesAccepted', 'False', conflict.reason, conflict.message, now),
    accepted || wasEstablished
      ? condition(before, 'Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted', now)
      : condition(before, 'Established', 'False', 'NotAccepted', 'not all names are accepted', now),
  ];
  const others = (before.conditions ?? []).filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established');
  const stored = storageVersion(definition);
  const storedVersions = before.storedVersions ?? [];
  return {
    conditions: [...conditions, ...others],
    acceptedNames: accepted ? names : (before.acceptedNames ?? { plural: '', kind: '' }),
    storedVersions: storedVersions.includes(stored) ? storedVersions : [...storedVersions, stored],
  };
}

function conflictOf(names: DefinitionNames, taken: Taken): { reason: string; message: string } | undefined {
  const quoted = (name: string) => `${JSON.stringify(name)} is already in use`;
  if (taken('plural', names.plural)) return { reason: 'PluralConflict', message: quoted(names.plural) };
  if (names.singular !== undefined && taken('singular', names.singular)) {
    return { reason: 'SingularConflict', message: quoted(names.singular) };
  }
  const short = names.shortNames?.find((name) => taken('shortNames', name));
  if (short !== undefined) return { reason: 'ShortNamesConflict', message: quoted(short) };
  if (taken('kind', names.kind)) return { reason: 'KindConflict', message: quoted(names.kind) };
  if (names.listKind !== undefined && taken('listKind', names.listKind)) {
    return { reason: 'ListKindConflict', message: quoted(names.listKind) };
  }
  return undefined;
}

/** Keeps the time of a condition that did not change. */
function condition(
  before: DefinitionStatus,
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
  now: string,
): DefinitionCondition {
  const known = before.conditions?.find((each) => each.type === type);
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
  return { lastTransitionTime, message, reason, status, type };
}

/** The status with a condition set; one that keeps its status keeps its time. */
export function setCondition(status: DefinitionStatus, condition: DefinitionCondition): DefinitionStatus {
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
