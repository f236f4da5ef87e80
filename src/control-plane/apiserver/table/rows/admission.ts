import type { LabelSelectorSpec } from '#platform/kube/selectors/label-selector';
import { ageOf, type Cell, type Listed, nameOf } from '../cell.ts';

export function webhooksRow(object: Listed & { readonly webhooks?: readonly unknown[] }, now: number): Cell[] {
  return [nameOf(object), object.webhooks?.length ?? 0, ageOf(object, now)];
}

interface Policy extends Listed {
  readonly spec?: {
    readonly validations?: readonly unknown[];
    readonly mutations?: readonly unknown[];
    readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  };
}

export function admissionPolicyRow(object: Policy, now: number): Cell[] {
  const { validations, mutations, paramKind } = object.spec ?? {};
  const param = paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
  return [nameOf(object), (validations ?? mutations)?.length ?? 0, param, ageOf(object, now)];
}

interface PolicyBinding extends Listed {
  readonly spec?: {
    readonly policyName?: string;
    readonly paramRef?: { readonly name?: string; readonly namespace?: string; readonly selector?: LabelSelectorSpec };
  };
}

export function admissionPolicyBindingRow(object: PolicyBinding, now: number): Cell[] {
  const { policyName = '', paramRef } = object.spec ?? {};
  let param = '<unset>';
  if (paramRef?.name) param = `${paramRef.namespace || '*'}/${paramRef.name}`;
  else if (paramRef?.selector !== undefined) param = goSelector(paramRef.selector);
  return [nameOf(object), policyName, param, ageOf(object, now)];
}

/** Formats a selector as Go prints the structure, like the API server does here. */
function goSelector({ matchLabels, matchExpressions }: LabelSelectorSpec): string {
  const labels = Object.keys(matchLabels ?? {})
    .sort()
    .map((key) => `${key}: ${matchLabels?.[key]},`);
  const expressions = (matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  const texts = `MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},`;
  return `&LabelSelector{${texts}}`;
}
