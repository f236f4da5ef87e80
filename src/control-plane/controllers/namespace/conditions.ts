import { type KubeCondition, withCondition } from '#platform/kube/kinds/condition';

/** Result of an attempt to delete the content of a namespace. */
export interface DeletionResult {
  /** Group versions whose discovery failed. */
  readonly undiscovered: readonly string[];
  /** Errors of deletions. */
  readonly failures: readonly string[];
  /** Number of remaining objects by `plural.group`. */
  readonly left: ReadonlyMap<string, number>;
  /** Number of remaining objects by the finalizer that they wait for. */
  readonly heldBy: ReadonlyMap<string, number>;
}

interface Wording {
  readonly type: string;
  readonly fine: { readonly reason: string; readonly message: string };
  readonly bad: { readonly reason: string; readonly message: (emptying: DeletionResult) => string | undefined };
}

const formatCounts = (counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string) =>
  [...counts]
    .map(([name, count]) => text(name, count))
    .sort()
    .join(', ');

const WORDINGS: readonly Wording[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    fine: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    bad: {
      reason: 'DiscoveryFailed',
      message: ({ undiscovered }) =>
        undiscovered.length === 0
          ? undefined
          : `Discovery failed for some groups, ${undiscovered.length} failing: unable to retrieve the complete list of server APIs: ${undiscovered.join(', ')}`,
    },
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    fine: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    bad: { reason: 'GroupVersionParsingFailed', message: () => undefined },
  },
  {
    type: 'NamespaceDeletionContentFailure',
    fine: {
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    bad: {
      reason: 'ContentDeletionFailed',
      message: ({ failures }) =>
        failures.length === 0
          ? undefined
          : `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
    },
  },
  {
    type: 'NamespaceContentRemaining',
    fine: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    bad: {
      reason: 'SomeResourcesRemain',
      message: ({ left }) =>
        left.size === 0
          ? undefined
          : `Some resources are remaining: ${formatCounts(left, (name, count) => `${name} has ${count} resource instances`)}`,
    },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    fine: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    bad: {
      reason: 'SomeFinalizersRemain',
      message: ({ heldBy }) =>
        heldBy.size === 0
          ? undefined
          : `Some content in the namespace has finalizers remaining: ${formatCounts(heldBy, (name, count) => `${name} in ${count} resource instances`)}`,
    },
  },
];

/** Returns the conditions of a terminating namespace. */
export function conditionsAfter(
  emptying: DeletionResult,
  before: readonly KubeCondition[] | undefined,
  now: string,
): readonly KubeCondition[] {
  let conditions = before ?? [];
  for (const { type, fine, bad } of WORDINGS) {
    const wrong = bad.message(emptying);
    const said = wrong === undefined ? fine : { reason: bad.reason, message: wrong };
    conditions = withCondition(conditions, { type, status: wrong === undefined ? 'False' : 'True', ...said }, now);
  }
  return conditions;
}

/** Reports whether nothing is left and nothing can have been overlooked. */
export function isContentDeleted({ undiscovered, failures, left }: DeletionResult): boolean {
  return undiscovered.length === 0 && failures.length === 0 && left.size === 0;
}
