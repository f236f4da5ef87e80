import type { InstanceSpec } from '../../api/kubevirt/virtual-machine-instance.ts';
import { type FieldError, invalid, required } from '../../base/field-error.ts';
import { qualifiedNameProblems } from '../../base/names.ts';
import { labelCauses, nameCauses } from './names.ts';
import { tolerationCauses } from './tolerations.ts';

type Affinity = NonNullable<InstanceSpec['affinity']>;
type NodeAffinity = NonNullable<Affinity['nodeAffinity']>;
type NodeTerm = NonNullable<
  NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']
>['nodeSelectorTerms'][number];
type NodeRequirement = NonNullable<NodeTerm['matchExpressions']>[number];
type PodRules = NonNullable<Affinity['podAffinity']>;
type PodTerm = NonNullable<PodRules['requiredDuringSchedulingIgnoredDuringExecution']>[number];
type LabelSelector = NonNullable<PodTerm['labelSelector']>;

/** What Kubernetes would refuse in the pod that the machine runs in, so that it is refused where the user can see it. */
export function placementCauses(spec: InstanceSpec, path: string): FieldError[] {
  const causes = [...labelCauses(`${path}.nodeSelector`, spec.nodeSelector), ...tolerationCauses(spec, path)];
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  if (nodeAffinity !== undefined) causes.push(...nodeAffinityCauses(nodeAffinity, `${path}.affinity.nodeAffinity`));
  if (podAffinity !== undefined) causes.push(...podRuleCauses(podAffinity, `${path}.affinity.podAffinity`));
  if (podAntiAffinity !== undefined) causes.push(...podRuleCauses(podAntiAffinity, `${path}.affinity.podAntiAffinity`));
  return [...causes, ...spreadCauses(spec, `${path}.topologySpreadConstraints`)];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function nodeAffinityCauses(affinity: NodeAffinity, at: string): FieldError[] {
  const terms = affinity[REQUIRED]?.nodeSelectorTerms;
  const causes: FieldError[] = [];
  if (terms?.length === 0) {
    causes.push(required(`${at}.${REQUIRED}.nodeSelectorTerms`, 'must have at least one node selector term'));
  }
  for (const [i, term] of (terms ?? []).entries()) {
    causes.push(...nodeTermCauses(term, `${at}.${REQUIRED}.nodeSelectorTerms[${i}]`));
  }
  for (const [i, { preference }] of (affinity[PREFERRED] ?? []).entries()) {
    causes.push(...nodeTermCauses(preference, `${at}.${PREFERRED}[${i}].preference`));
  }
  return causes;
}

function nodeTermCauses({ matchExpressions = [], matchFields = [] }: NodeTerm, at: string): FieldError[] {
  return [
    ...matchExpressions.flatMap((requirement, i) => requirementCauses(requirement, `${at}.matchExpressions[${i}]`)),
    ...matchFields.flatMap((requirement, i) => fieldCauses(requirement, `${at}.matchFields[${i}]`)),
  ];
}

/** The operators of a label selector are some of those that nodes know. */
function requirementCauses({ key, operator, values = [] }: NodeRequirement, at: string): FieldError[] {
  const causes = nameCauses(`${at}.key`, key, qualifiedNameProblems);
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return causes;
      return [...causes, required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return causes;
      return [
        ...causes,
        invalid(
          `${at}.values`,
          values.join(', '),
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      ];
    case 'Gt':
    case 'Lt':
      if (values.length === 1 && /^-?[0-9]+$/.test(values[0] ?? '')) return causes;
      return [...causes, required(`${at}.values`, "must be one integer when `operator` is 'Lt' or 'Gt'")];
  }
}

function fieldCauses({ key, operator, values = [] }: NodeRequirement, at: string): FieldError[] {
  const causes: FieldError[] = [];
  if (key !== 'metadata.name')
    causes.push(invalid(`${at}.key`, key, 'not a valid field selector key: must be metadata.name'));
  if (operator !== 'In' && operator !== 'NotIn') {
    causes.push(invalid(`${at}.operator`, operator, 'not a valid selector operator: must be In or NotIn'));
  }
  if (values.length !== 1) {
    causes.push(
      required(`${at}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  }
  return causes;
}

function podRuleCauses(rules: PodRules, at: string): FieldError[] {
  return [
    ...(rules[REQUIRED] ?? []).flatMap((term, i) => podTermCauses(term, `${at}.${REQUIRED}[${i}]`)),
    ...(rules[PREFERRED] ?? []).flatMap(({ podAffinityTerm }, i) =>
      podTermCauses(podAffinityTerm, `${at}.${PREFERRED}[${i}].podAffinityTerm`),
    ),
  ];
}

function podTermCauses({ topologyKey, labelSelector, namespaceSelector }: PodTerm, at: string): FieldError[] {
  return [
    ...topologyKeyCauses(`${at}.topologyKey`, topologyKey),
    ...selectorCauses(labelSelector, `${at}.labelSelector`),
    ...selectorCauses(namespaceSelector, `${at}.namespaceSelector`),
  ];
}

function topologyKeyCauses(field: string, topologyKey: string): FieldError[] {
  if (topologyKey === '') return [required(field, 'can not be empty')];
  return nameCauses(field, topologyKey, qualifiedNameProblems);
}

function selectorCauses(selector: LabelSelector | undefined, at: string): FieldError[] {
  if (selector === undefined) return [];
  return [
    ...labelCauses(`${at}.matchLabels`, selector.matchLabels),
    ...(selector.matchExpressions ?? []).flatMap((requirement, i) =>
      requirementCauses(requirement, `${at}.matchExpressions[${i}]`),
    ),
  ];
}

function spreadCauses({ topologySpreadConstraints = [] }: InstanceSpec, path: string): FieldError[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, minDomains, whenUnsatisfiable, labelSelector }, i) => {
    const at = `${path}[${i}]`;
    const causes = [
      ...topologyKeyCauses(`${at}.topologyKey`, topologyKey),
      ...selectorCauses(labelSelector, `${at}.labelSelector`),
    ];
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
      const detail = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not 'ScheduleAnyway'";
      causes.push(invalid(`${at}.minDomains`, minDomains, detail));
    }
    return causes;
  });
}
