import { CLAIM_WORDS } from '#api/novacron/claims';
import { POOL_LABEL } from '#api/novacron/pool-words';
import { type VMPool, vmPool } from '#api/novacron/vm-pool';
import { type FieldError, forbidden, index, invalid, key, tooLong } from '#platform/base/field-error';
import { jsonEqual } from '#platform/base/json-equal';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import type { Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { validateOwnAnnotations } from '#vm/admission/own-annotations';
import { validateLabelSelector } from '#vm/admission/placement';
import { autoscalingWarnings, validateAutoscaling } from './autoscaling.ts';
import { validateCountOrPercent } from './count-or-percent.ts';
import { validateRootName } from './disks.ts';
import { networkFinder } from './network-finder.ts';
import { unsupportedWarnings } from './unsupported-warnings.ts';
import { type TemplateOptions, templateWarnings, type VmTemplate, validateTemplate } from './vm-template.ts';

type Spec = VMPool['spec'];

/** VMs are named <pool>-<five letters>, and the name must fit a label of 63 characters. */
const MAX_NAME = 57;
const TEMPLATE = 'spec.template';

export const vmPoolAdmitter: Admitter<typeof vmPool> = {
  kind: vmPool,
  defaults(object) {
    const { replicas, minReplicas = 1, maxReplicas = minReplicas } = object.spec;
    const fitting = Math.min(minReplicas, maxReplicas);
    return replicas === undefined ? { ...object, spec: { ...object.spec, replicas: fitting } } : object;
  },
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { operation, object, old } = request;
    const { metadata, spec } = object;
    const find = networkFinder(request);
    return {
      causes: [
        ...(operation === 'CREATE' ? validateName(metadata.name) : []),
        ...validatePoolTemplate(spec, { image: 'optional', find, before: old?.spec.template }),
        ...validateSelector('spec.selector', object, old),
        ...(spec.autoscaling === undefined ? [] : validateAutoscaling('spec.autoscaling', spec.autoscaling)),
        ...validateStrategy('spec.updateStrategy.rollingUpdate', spec.updateStrategy.rollingUpdate),
      ],
      warnings: [
        ...templateWarnings('spec.template', spec.template),
        ...unsupportedWarnings(object, old),
        ...(spec.autoscaling === undefined ? [] : autoscalingWarnings('spec.autoscaling', spec.autoscaling)),
      ],
    };
  },
};

function validateName(name = ''): FieldError[] {
  return name.length > MAX_NAME ? [tooLong('metadata.name', MAX_NAME)] : [];
}

/** Validates the template like that of a VM, and that several VMs can be made from it. */
function validatePoolTemplate(spec: Spec, options: TemplateOptions): FieldError[] {
  const template: VmTemplate | undefined = spec.template;
  const { metadata } = template ?? {};
  const before = options.before?.metadata;
  const reserved = `${TEMPLATE}.metadata.labels`;
  const label = metadata?.labels?.[POOL_LABEL];
  return [
    ...validateTemplate(TEMPLATE, template, options),
    ...(label === undefined || label === before?.labels?.[POOL_LABEL]
      ? []
      : [forbidden(key(reserved, POOL_LABEL), 'is reserved: every VM of a pool has it, with the name of the pool')]),
    ...validateOwnAnnotations(
      CLAIM_WORDS,
      `${TEMPLATE}.metadata.annotations`,
      metadata?.annotations,
      before?.annotations,
    ),
    ...validateRootName(template, options.before),
    ...(isSingle(spec) ? [] : validateNoAddresses(`${TEMPLATE}.spec.networks`, template, options.before)),
  ];
}

/** Reports whether a pool never has two VMs, not even while one replaces the other. */
function isSingle({ replicas = 1, maxReplicas = replicas, updateStrategy }: Spec): boolean {
  const { type, rollingUpdate } = updateStrategy;
  return maxReplicas <= 1 && (type === 'Recreate' || ['0', '0%'].includes(`${rollingUpdate?.maxSurge ?? 1}`));
}

/** Rejects a fixed address, which several VMs cannot share. */
function validateNoAddresses(field: string, template: VmTemplate | undefined, before: VmTemplate | undefined) {
  const families = ['ipv4', 'ipv6'] as const;
  return (template?.spec?.networks ?? []).flatMap((card, i) =>
    families.flatMap((family) => {
      const was = before?.spec?.networks?.find(({ name }) => name === card.name)?.[family];
      if (card[family]?.method !== 'static' || was?.method === 'static') return [];
      const why =
        'every VM of the pool would have the same address; use dhcp, or maxReplicas 1 and updateStrategy Recreate';
      return [forbidden(`${index(field, i)}.${family}.method`, why)];
    }),
  );
}

/**
 * A pool that does not select its own VMs would create new ones forever, and with another selector it would release all
 * that it has.
 */
function validateSelector(field: string, { metadata, spec }: VMPool, old: VMPool | undefined): FieldError[] {
  const { selector, template } = spec;
  if (old !== undefined && !jsonEqual(selector ?? null, old.spec.selector ?? null)) {
    return [invalid(field, selector ?? null, 'field is immutable: create another pool')];
  }
  if (selector === undefined) return [];
  const causes = validateLabelSelector(field, selector);
  if (causes.length > 0) return causes;
  const labels = template?.metadata?.labels ?? {};
  return labelSelectorOf(selector).matches({ ...labels, [POOL_LABEL]: metadata.name ?? '' })
    ? []
    : [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function validateStrategy(field: string, rolling: Spec['updateStrategy']['rollingUpdate']): FieldError[] {
  return [
    ...validateCountOrPercent(`${field}.maxSurge`, rolling?.maxSurge),
    ...validateCountOrPercent(`${field}.maxUnavailable`, rolling?.maxUnavailable),
  ];
}
