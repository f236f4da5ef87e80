import { memoize } from '#platform/base/memoize';
import type { Node } from '#platform/kube/kinds/node';
import type { PodSpec } from '#platform/kube/kinds/pod';
import { type NodeSelectorTerm, type NodeTest, nodeTermTest, nodeTestOf } from '#platform/kube/selectors/node-selector';
import type { AffinityRules } from './affinity-term.ts';

type NodeRules = NonNullable<AffinityRules['nodeAffinity']>;

/** Nodes that a pod may run on, by labels and names. */
export interface RequiredNodeAffinity {
  readonly matches: NodeTest;
  /** Matches a node at a slot and caches the result until another node takes the slot. */
  matchesAt(place: number, node: Node): boolean;
  /** Names of the only nodes that can match, set if every term names some. */
  readonly names?: ReadonlySet<string>;
}

export interface NodePreference {
  readonly weight: number;
  readonly matches: NodeTest;
}

/**
 * Combines nodeSelector and required node affinity, undefined if both are absent. The result is shared by the pods of
 * one owner.
 */
export function requiredNodeAffinityOf({ nodeSelector, affinity }: PodSpec): RequiredNodeAffinity | undefined {
  const labels = Object.entries(nodeSelector ?? {});
  const required = (affinity as AffinityRules | undefined)?.nodeAffinity
    ?.requiredDuringSchedulingIgnoredDuringExecution;
  if (labels.length === 0 && required === undefined) return undefined;
  return knownDemand(JSON.stringify([labels, required]));
}

const knownDemand = memoize(250, readDemand, 4096);

function readDemand(text: string): RequiredNodeAffinity {
  const [labels, required] = JSON.parse(text) as readonly [
    readonly (readonly [string, string])[],
    NodeRules['requiredDuringSchedulingIgnoredDuringExecution'] | null,
  ];
  const byTerms = required === null || required === undefined ? undefined : nodeTestOf(required);
  const matches: NodeTest = (node) => {
    for (const [key, value] of labels) if (node.metadata.labels?.[key] !== value) return false;
    return byTerms === undefined || byTerms(node);
  };
  const names = required === null || required === undefined ? undefined : namesOf(required.nodeSelectorTerms);
  const matchesAt = memoizeByPlace(matches);
  return names === undefined ? { matches, matchesAt } : { matches, matchesAt, names };
}

/** Caches results by slot. A changed node is a different object, so its result is not reused. */
function memoizeByPlace(test: NodeTest): RequiredNodeAffinity['matchesAt'] {
  const nodes: (Node | undefined)[] = [];
  const verdicts: boolean[] = [];
  return (place, node) => {
    if (nodes[place] === node) return verdicts[place] as boolean;
    while (nodes.length < place) {
      nodes.push(undefined);
      verdicts.push(false);
    }
    const verdict = test(node);
    nodes[place] = node;
    verdicts[place] = verdict;
    return verdict;
  };
}

export function nodePreferencesOf({ affinity }: PodSpec): readonly NodePreference[] {
  const rules = (affinity as AffinityRules | undefined)?.nodeAffinity;
  return (rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ weight, preference }) => {
    const matches = nodeTermTest(preference);
    return matches === undefined || weight === 0 ? [] : [{ weight, matches }];
  });
}

/** Returns the names that the terms together allow, undefined if one of them does not restrict the name. */
function namesOf(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...others] = lists.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}
