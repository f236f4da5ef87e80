import { type FieldError, forbidden, index } from '../../../base/field-error.ts';
import { copyJson } from '../../../base/json-copy.ts';
import type { KindRules } from '../kind-rules.ts';
import { defaultPod, defaultPodTemplate } from './pod-defaults.ts';
import type { Pod, PodSpec, PodTemplate } from './pod-spec.ts';
import { podGrace, qosClass } from './pod-status.ts';
import { checkPodTemplate } from './pod-template.ts';
import { checkImage, checkPodChange } from './pod-update.ts';
import { podMetaWarnings, podWarnings } from './pod-warnings.ts';
import { checkPodSpec } from './validate-pod-spec.ts';

export const pods: KindRules<Pod> = {
  defaults(object) {
    defaultPod((object.spec ??= {}));
  },
  firstStatus: (object) => ({ phase: 'Pending', qosClass: qosClass(object.spec) }),
  prepareUpdate(object, old) {
    keepContainers(object, old);
  },
  prepareStatusUpdate(object, old) {
    keepQos(object, old);
  },
  validate(object, old) {
    const { spec } = object;
    const causes = checkPodSpec('spec', spec);
    return old === undefined
      ? [...causes, ...checkImages(spec), ...checkNewPod(spec)]
      : [...causes, ...checkPodChange('spec', spec, old.spec)];
  },
  warnings: ({ metadata, spec }, old) =>
    old === undefined ? [...podMetaWarnings(metadata), ...podWarnings('spec', spec)] : [],
  graceSeconds: (object, asked) => podGrace(object, asked),
};

/** Containers for debugging are added through their own subresource only. */
function keepContainers(pod: Pod, old: Pod): void {
  if (old.spec.ephemeralContainers === undefined) delete pod.spec.ephemeralContainers;
  else pod.spec.ephemeralContainers = copyJson(old.spec.ephemeralContainers);
}

function keepQos(pod: Pod, old: Pod): void {
  const known = old.status?.qosClass;
  if (known !== undefined) (pod.status ??= {}).qosClass = known;
}

function checkImages(spec: PodSpec): FieldError[] {
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ image = '' }, i) => checkImage(`${index(`spec.${list}`, i)}.image`, image)),
  );
}

function checkNewPod(spec: PodSpec): FieldError[] {
  const causes: FieldError[] = [];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    causes.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    causes.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return causes;
}

export const podTemplates: KindRules<{ template?: PodTemplate }> = {
  defaults(object) {
    defaultPodTemplate((object.template ??= {}));
  },
  validate: ({ template = {} }) => checkPodTemplate('template', template),
  warnings: ({ template = {} }) => podWarnings('template.spec', template.spec),
};
