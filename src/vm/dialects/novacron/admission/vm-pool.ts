import { type VMPool, vmPool } from '#api/novacron/vm-pool';
import { type FieldError, invalid, tooLong } from '#platform/base/field-error';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import type { Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { validateLabelSelector } from '#vm/admission/placement';
import { autoscalingWarnings, validateAutoscaling } from './autoscaling.ts';
import { validateCountOrPercent } from './count-or-percent.ts';
import { networkFinder } from './network-finder.ts';
import { templateWarnings, validateTemplate } from './vm-template.ts';

type Spec = VMPool['spec'];

/** VMs are named <pool>-<five letters>, and the name must fit a label of 63 characters. */
const MAX_NAME = 57;

export const vmPoolAdmitter: Admitter<typeof vmPool> = {
  kind: vmPool,
  defaults(object) {
    const { replicas, minReplicas = 1 } = object.spec;
    return replicas === undefined ? { ...object, spec: { ...object.spec, replicas: minReplicas } } : object;
  },
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { operation, object, old } = request;
    const { metadata, spec } = object;
    const find = networkFinder(request);
    return {
      causes: [
        ...(operation === 'CREATE' ? validateName(metadata.name) : []),
        ...validateTemplate('spec.template', spec.template, { image: 'optional', find, before: old?.spec.template }),
        ...validateSelector('spec.selector', spec),
        ...(spec.autoscaling === undefined ? [] : validateAutoscaling('spec.autoscaling', spec.autoscaling)),
        ...validateStrategy('spec.updateStrategy.rollingUpdate', spec.updateStrategy.rollingUpdate),
      ],
      warnings: [
        ...templateWarnings('spec.template', spec.template),
        ...addressWarnings('spec.template.spec.networks', spec),
        ...(spec.autoscaling === undefined ? [] : autoscalingWarnings('spec.autoscaling', spec.autoscaling)),
      ],
    };
  },
};

function validateName(name = ''): FieldError[] {
  return name.length > MAX_NAME ? [tooLong('metadata.name', MAX_NAME)] : [];
}

/** A pool that does not select its own VMs would create new ones forever. */
function validateSelector(field: string, { selector, template }: Spec): FieldError[] {
  if (selector === undefined) return [];
  const causes = validateLabelSelector(field, selector);
  if (causes.length > 0) return causes;
  const labels = template?.metadata?.labels ?? {};
  return labelSelectorOf(selector).matches(labels)
    ? []
    : [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function validateStrategy(field: string, rolling: Spec['updateStrategy']['rollingUpdate']): FieldError[] {
  return [
    ...validateCountOrPercent(`${field}.maxSurge`, rolling?.maxSurge),
    ...validateCountOrPercent(`${field}.maxUnavailable`, rolling?.maxUnavailable),
  ];
}

/** Returns warnings for a fixed address, which several VMs cannot share. */
function addressWarnings(field: string, { template, maxReplicas, replicas = 1 }: Spec): string[] {
  if ((maxReplicas ?? replicas) <= 1) return [];
  return (template?.spec?.networks ?? []).flatMap(({ ipv4, ipv6 }, i) =>
    ipv4?.method === 'static' || ipv6?.method === 'static'
      ? [`${field}[${i}] assigns the same static address to every VM of the pool`]
      : [],
  );
}
