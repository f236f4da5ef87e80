import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { validateNotNegative, validateUnchanged } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { matches, validateSelector } from '../label-selector.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import type { PodTemplate } from '../pod/pod-spec.ts';
import { validatePodTemplate } from '../pod/pod-template.ts';
import { podMakerWarnings } from '../pod/pod-warnings.ts';
import { isUsable, validateNotEmpty, validateRunsForever, validateTemplate, type WorkloadSpec } from './workload.ts';
import { countingStatus } from './workload-status.ts';

interface ReplicaSet {
  spec?: WorkloadSpec;
}

const SET_STATUS = new Map([
  [
    'status',
    countingStatus(
      ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
      ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ),
  ],
]);

export const replicaSets: KindStrategy<ReplicaSet> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    spec.replicas ??= 1;
    defaultPodTemplate((spec.template ??= {}));
  },
  firstStatus: () => ({ replicas: 0 }),
  validate(object, old) {
    const { spec = {} } = object;
    const { selector } = spec;
    const none = selector === undefined || selector === null;
    const empty = validateNotEmpty('spec.selector', selector, 'deployment');
    const causes = [
      ...validateNotNegative('spec.replicas', spec.replicas),
      ...validateNotNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...(none ? [required('spec.selector')] : [...validateSelector('spec.selector', selector), ...empty]),
    ];
    if (isUsable(selector)) {
      append(causes, validateTemplate('spec.template', spec));
      append(causes, validateRunsForever('spec.template', spec.template ?? {}, 'ReplicaSet'));
    } else causes.push(invalid('spec.selector', selector, 'invalid label selector'));
    const before = old;
    return before === undefined
      ? causes
      : [...causes, ...validateUnchanged('spec.selector', selector, before.spec?.selector)];
  },
  parts: SET_STATUS,
  warnings: ({ metadata, spec }, old) => podMakerWarnings(metadata, 'spec.template', spec?.template, old),
};

interface ReplicationController {
  spec?: {
    replicas?: number;
    minReadySeconds?: number;
    selector?: Record<string, string>;
    template?: PodTemplate;
  };
}

export const replicationControllers: KindStrategy<ReplicationController> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    spec.replicas ??= 1;
    const { template } = spec;
    if (template === undefined) return;
    defaultPodTemplate(template);
    const labels = template.metadata?.labels;
    if (labels === undefined) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    labelByPods(object);
  },
  firstStatus: () => ({ replicas: 0 }),
  prepareStatusUpdate: labelByPods,
  validate: (object) => validateController(object.spec ?? {}),
  parts: SET_STATUS,
  warnings: ({ metadata, spec }, old) => podMakerWarnings(metadata, 'spec.template', spec?.template, old),
};

/** Sets the labels of a controller without any to those of its pods. */
function labelByPods({ metadata, spec }: KubeObject & ReplicationController): void {
  const labels = spec?.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

function validateController(spec: NonNullable<ReplicationController['spec']>): FieldError[] {
  const { selector = {}, template } = spec;
  const causes = validateNotNegative('spec.minReadySeconds', spec.minReadySeconds);
  if (Object.keys(selector).length === 0) causes.push(required('spec.selector'));
  append(causes, validateNotNegative('spec.replicas', spec.replicas));
  if (template === undefined) return [...causes, required('spec.template')];
  const labels = template.metadata?.labels;
  if (!matches({ matchLabels: selector }, labels)) {
    const detail = '`selector` does not match template `labels`';
    causes.push(invalid('spec.template.metadata.labels', labels ?? null, detail));
  }
  append(causes, validatePodTemplate('spec.template', template));
  return [...causes, ...validateRunsForever('spec.template', template, 'ReplicationController')];
}
