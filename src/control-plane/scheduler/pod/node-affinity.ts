import { memoize } from '#platform/base/memoize';
import type { Node } from '#platform/kube/kinds/node';
import type { PodSpec } from '#platform/kube/kinds/pod';
import type { Affinity } from './affinity-term.ts';

type NodeRules = NonNullable<Affinity['nodeAffinity']>;
type NodeTerm = NonNullable<NodeRules['requiredDuringSchedulingIgnoredDuringExecution']>['nodeSelectorTerms'][number];
export type NodeSelector = { readonly nodeSelectorTerms?: readonly NodeTerm[] };
type Requirement = NonNullable<NodeTerm['matchExpressions']>[number];
type NodeTest = (node: Node) => boolean;
type ValueTest = (value: string | undefined) => boolean;

/** The nodes that a pod may run on by their labels and names. */
export interface RequiredNodeAffinity {
  readonly matches: NodeTest;
  /** The same of a node at a place of its own, which is remembered as long as nobody puts another there. */
  matchesAt(place: number, node: Node): boolean;
  /** The only nodes that can match, where every term names some. */
  readonly names?: ReadonlySet<string>;
}

export interface NodePreference {
  readonly weight: number;
  readonly matches: NodeTest;
}

/**
 * What nodeSelector and required node affinity ask for together; undefined where they ask for nothing. The pods of one
 * owner all ask for the same.
 */
export function requiredNodeAffinityOf({ nodeSelector, affinity }: PodSpec): RequiredNodeAffinity | undefined {
  const labels = Object.entries(nodeSelector ?? {});
  const required = (affinity as Affinity | undefined)?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
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
  const matchesAt = rememberedByPlace(matches);
  return names === undefined ? { matches, matchesAt } : { matches, matchesAt, names };
}

/** A node that changes is another object. */
function rememberedByPlace(test: NodeTest): RequiredNodeAffinity['matchesAt'] {
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

/** Whether one of the terms holds; an empty term never does. */
export function nodeTestOf({ nodeSelectorTerms = [] }: NodeSelector): NodeTest {
  const terms = nodeSelectorTerms.map(termTest).filter((test) => test !== undefined);
  return (node) => terms.some((test) => test(node));
}

export function nodePreferencesOf({ affinity }: PodSpec): readonly NodePreference[] {
  const rules = (affinity as Affinity | undefined)?.nodeAffinity;
  return (rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ weight, preference }) => {
    const matches = termTest(preference);
    return matches === undefined || weight === 0 ? [] : [{ weight, matches }];
  });
}

function termTest({ matchExpressions = [], matchFields = [] }: NodeTerm): NodeTest | undefined {
  if (matchExpressions.length + matchFields.length === 0) return undefined;
  const labels = matchExpressions.map((requirement) => [requirement.key, valueTest(requirement)] as const);
  const fields = matchFields.map(valueTest);
  return ({ metadata }) =>
    labels.every(([key, test]) => test(metadata.labels?.[key])) && fields.every((test) => test(metadata.name));
}

function valueTest({ operator, values = [] }: Requirement): ValueTest {
  const [bound = ''] = values;
  switch (operator) {
    case 'In':
      return (value) => value !== undefined && values.includes(value);
    case 'NotIn':
      return (value) => value === undefined || !values.includes(value);
    case 'Exists':
      return (value) => value !== undefined;
    case 'DoesNotExist':
      return (value) => value === undefined;
    case 'Gt':
      return (value) => isInteger(value) && isInteger(bound) && BigInt(value) > BigInt(bound);
    case 'Lt':
      return (value) => isInteger(value) && isInteger(bound) && BigInt(value) < BigInt(bound);
    default:
      return () => false;
  }
}

const isInteger = (text: string | undefined): text is string => text !== undefined && /^-?[0-9]{1,19}$/.test(text);

/** The names that all terms together allow; undefined where one of them leaves the name open. */
function namesOf(terms: readonly NodeTerm[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...others] = lists.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}
