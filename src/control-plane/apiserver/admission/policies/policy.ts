import type { KubeObject } from '#platform/kube/kube-object';
import type { LabelSelectorSpec } from '#platform/kube/selectors/label-selector';
import type { MatchCondition } from '../cel/match-conditions.ts';
import type { MatchSpec, ResourceRule } from '../matching.ts';

export interface MatchResources {
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
  readonly resourceRules?: readonly ResourceRule[];
  readonly excludeResourceRules?: readonly ResourceRule[];
  readonly matchPolicy?: string;
}

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

export interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression?: string };
  readonly jsonPatch?: { readonly expression?: string };
}

/** Common spec of validating and mutating policies. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly failurePolicy?: string;
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly mutations?: readonly Mutation[];
  readonly reinvocationPolicy?: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelectorSpec;
  readonly parameterNotFoundAction?: string;
}

export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}

export const policySpec = (policy: KubeObject): PolicySpec => policy['spec'] ?? {};
export const bindingSpec = (binding: KubeObject): BindingSpec => binding['spec'] ?? {};

const ANYTHING: ResourceRule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'], operations: ['*'] };

/** Builds the match of a policy or binding. A binding without rules matches everything that its policy matches. */
export function matchSpec(match: MatchResources = {}, open = false): MatchSpec {
  const { resourceRules = [], excludeResourceRules, matchPolicy, namespaceSelector, objectSelector } = match;
  return {
    rules: open && resourceRules.length === 0 ? [ANYTHING] : resourceRules,
    ...(excludeResourceRules === undefined ? {} : { excludeRules: excludeResourceRules }),
    ...(matchPolicy === undefined ? {} : { matchPolicy }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
  };
}
