import { goStruct } from '../go-struct.ts';
import type { NodeRequirement, NodeTerm } from './pod-spec.ts';

function goRequirement({ key = '', operator = '', values }: NodeRequirement): object {
  return goStruct({ Key: key, Operator: operator, Values: values ?? null });
}

/** A term of a node selector as the server prints it, in the names of its own fields. */
export function goTerm({ matchExpressions, matchFields }: NodeTerm): object {
  return goStruct({
    MatchExpressions: matchExpressions?.map(goRequirement) ?? null,
    MatchFields: matchFields?.map(goRequirement) ?? null,
  });
}
