import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { same, validateNotNegative, validateUnchanged } from '../field-checks.ts';
import { fill } from '../fill.ts';
import { goStruct } from '../go-struct.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { matches, validateSelector } from '../label-selector.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { validatePodTemplate } from '../pod/pod-template.ts';
import { podMakerWarnings } from '../pod/pod-warnings.ts';
import {
  countOrPercentOf,
  isUsable,
  validateAmount,
  validateAtMostAll,
  validateNotEmpty,
  validateRunsForever,
  type WorkloadSpec,
} from './workload.ts';
import { countingStatus } from './workload-status.ts';

interface UpdateStrategy {
  type?: string;
  rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
}

interface DaemonSet {
  spec?: WorkloadSpec & { updateStrategy?: UpdateStrategy };
}

/** Annotation by which older clients track the template generation of a DaemonSet. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

function countTemplate({ metadata }: KubeObject, generation: number): void {
  (metadata.annotations ??= {})[TEMPLATE_GENERATION] = String(generation);
}

export const daemonSets: KindStrategy<DaemonSet> = {
  defaults(object) {
    // The template is not counted yet, and the writer who left the annotation open owns it.
    (object.metadata.annotations ??= {})[TEMPLATE_GENERATION] ??= '0';
    const spec = (object.spec ??= {});
    defaultPodTemplate((spec.template ??= {}));
    spec.revisionHistoryLimit ??= 10;
    const strategy = (spec.updateStrategy ??= {});
    strategy.type ||= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') fill((strategy.rollingUpdate ??= {}), { maxUnavailable: 1, maxSurge: 0 });
  },
  firstStatus: () => ({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }),
  prepareCreate: (object) =>
    countTemplate(object, Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0) || 1),
  prepareUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
    const changed = !same(object.spec?.template, old.spec?.template);
    countTemplate(object, changed ? before + 1 : before);
  },
  validate(object, old) {
    const { spec = {} } = object;
    const causes = validateSpec(spec);
    const before = old;
    return before === undefined
      ? causes
      : [...causes, ...validateUnchanged('spec.selector', spec.selector, before.spec?.selector)];
  },
  parts: new Map([
    [
      'status',
      countingStatus([
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
        'updatedNumberScheduled',
        'numberAvailable',
        'numberUnavailable',
        'collisionCount',
      ]),
    ],
  ]),
  warnings: ({ metadata, spec }, old) => podMakerWarnings(metadata, 'spec.template', spec?.template, old, false),
};

function validateSpec(spec: NonNullable<DaemonSet['spec']>): FieldError[] {
  const { selector, template = {}, updateStrategy = {} } = spec;
  const causes = selector === undefined || selector === null ? [] : validateSelector('spec.selector', selector);
  const labels = template.metadata?.labels;
  const fits = selector !== undefined && selector !== null && isUsable(selector) && matches(selector, labels);
  const unusable = !isUsable(selector);
  if (!fits && !unusable) {
    const detail = '`selector` does not match template `labels`';
    causes.push(invalid('spec.template.metadata.labels', labels ?? null, detail));
  }
  append(
    causes,
    validateNotEmpty('spec.selector', selector, 'daemonset'),
    validatePodTemplate('spec.template', template),
  );
  append(causes, validateRunsForever('spec.template', template, 'DaemonSet'));
  append(causes, validateNotNegative('spec.minReadySeconds', spec.minReadySeconds), validateStrategy(updateStrategy));
  return [...causes, ...validateNotNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit)];
}

function validateStrategy({ type = '', rollingUpdate }: UpdateStrategy): FieldError[] {
  if (type === 'OnDelete') return [];
  const at = 'spec.updateStrategy.rollingUpdate';
  if (type !== 'RollingUpdate') {
    const value = goStruct({ Type: type, RollingUpdate: rollingUpdate ?? null });
    const detail = 'supported values: "RollingUpdate", "OnDelete"';
    return [{ type: 'NotSupported', field: 'spec.updateStrategy', value, detail }];
  }
  if (rollingUpdate === undefined) return [required(at)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const causes = [
    ...validateAmount(`${at}.maxUnavailable`, maxUnavailable),
    ...validateAtMostAll(`${at}.maxUnavailable`, maxUnavailable),
    ...validateAmount(`${at}.maxSurge`, maxSurge),
    ...validateAtMostAll(`${at}.maxSurge`, maxSurge),
  ];
  const [less, more] = [countOrPercentOf(maxUnavailable) !== 0, countOrPercentOf(maxSurge) !== 0];
  if (less && more) causes.push(invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (!less && !more) causes.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return causes;
}
