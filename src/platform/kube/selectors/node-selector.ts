import type { Node } from '../kinds/node.ts';

interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

export type NodeTest = (node: Node) => boolean;
type ValueTest = (value: string | undefined) => boolean;

/** Returns a test that passes if one of the terms matches. An empty term never matches. */
export function nodeTestOf({ nodeSelectorTerms = [] }: NodeSelector): NodeTest {
  const terms = nodeSelectorTerms.map(nodeTermTest).filter((test) => test !== undefined);
  return (node) => terms.some((test) => test(node));
}

/** Returns a test that passes if all requirements of a term are met, undefined for an empty term. */
export function nodeTermTest({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeTest | undefined {
  if (matchExpressions.length + matchFields.length === 0) return undefined;
  const labels = matchExpressions.map((requirement) => [requirement.key, valueTest(requirement)] as const);
  const fields = matchFields.map(valueTest);
  return ({ metadata }) =>
    labels.every(([key, test]) => test(metadata.labels?.[key])) && fields.every((test) => test(metadata.name));
}

function valueTest({ operator, values = [] }: NodeSelectorRequirement): ValueTest {
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
