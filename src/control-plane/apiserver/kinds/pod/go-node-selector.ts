import { goStruct } from '../go-struct.ts';
import type { NodeRequirement, NodeTerm } from './pod-spec.ts';

function goRequirement({ key = '', operator = '', values }: NodeRequirement): object {
  return goStruct({ Key: key, Operator: operator, Values: values ?? null });
}

/** Returns a node selector term as the server prints it, with Go's field names. */
export function goTerm({ matchExpressions, matchFields }: NodeTerm): object {
  return goStruct({
    MatchExpressions: matchExpressions?.map(goRequirement) ?? null,
    MatchFields: matchFields?.map(goRequirement) ?? null,
  });
}
