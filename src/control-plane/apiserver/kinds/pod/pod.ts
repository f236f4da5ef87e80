import { type FieldError, forbidden, index } from '#platform/base/field-error';
import { qosClass } from '#platform/kube/resources/qos-class';
import type { KindStrategy } from '../kind-strategy.ts';
import { ephemeralContainers } from './ephemeral-containers.ts';
import { defaultPod, defaultPodTemplate } from './pod-defaults.ts';
import { podGrace } from './pod-grace.ts';
import { podResize } from './pod-resize.ts';
import type { Pod, PodSpec, PodTemplate } from './pod-spec.ts';
import { validatePodTemplate } from './pod-template.ts';
import { validateImage, validatePodChange } from './pod-update.ts';
import { podMetaWarnings, podWarnings } from './pod-warnings.ts';
import { validatePodSpec } from './validate-pod-spec.ts';
import { pairAddresses, podStatus, preparePodStatus } from './validate-pod-status.ts';

export const pods: KindStrategy<Pod> = {
  defaults(object) {
    defaultPod((object.spec ??= {}));
    pairAddresses(object);
  },
  firstStatus: (object) => ({ phase: 'Pending', ...gatedCondition(object), qosClass: qosClass(object.spec) }),
  prepareStatusUpdate: preparePodStatus,
  validate(object, old) {
    const { spec } = object;
    const causes = validatePodSpec('spec', spec);
    return old === undefined
      ? [...causes, ...validateImages(spec), ...validateNewPod(spec)]
      : [...causes, ...validatePodChange('spec', spec, old.spec)];
  },
  parts: new Map([
    ['ephemeralcontainers', ephemeralContainers],
    ['resize', podResize],
    ['status', podStatus],
  ]),
  warnings: ({ metadata, spec }, old) =>
    old === undefined ? [...podMetaWarnings(metadata), ...podWarnings('spec', spec)] : [],
  graceSeconds: (object, requested) => podGrace(object, requested),
};

/** Returns the condition of a pod with scheduling gates, which it has from its creation. */
function gatedCondition({ metadata, spec }: Pod): object {
  if ((spec.schedulingGates ?? []).length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: metadata.creationTimestamp ?? null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { conditions: [condition] };
}

function validateImages(spec: PodSpec): FieldError[] {
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ image = '' }, i) => validateImage(`${index(`spec.${list}`, i)}.image`, image)),
  );
}

function validateNewPod(spec: PodSpec): FieldError[] {
  const causes: FieldError[] = [];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    causes.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    causes.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return causes;
}

export const podTemplates: KindStrategy<{ template?: PodTemplate }> = {
  defaults(object) {
    defaultPodTemplate((object.template ??= {}));
  },
  validate: ({ template = {} }) => validatePodTemplate('template', template),
  warnings: ({ template = {} }) => podWarnings('template.spec', template.spec),
};
