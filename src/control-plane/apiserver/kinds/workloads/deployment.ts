import { append } from '#platform/base/append';
import { type FieldError, forbidden, invalid, required } from '#platform/base/field-error';
import { same, validateNotNegative, validateUnchanged } from '../field-checks.ts';
import { fill } from '../fill.ts';
import { goStruct } from '../go-struct.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { validateSelector } from '../label-selector.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { podMakerWarnings } from '../pod/pod-warnings.ts';
import {
  countOrPercentOf,
  isUsable,
  validateAmount,
  validateAtMostAll,
  validateNotEmpty,
  validateRunsForever,
  validateTemplate,
  type WorkloadSpec,
} from './workload.ts';
import { countingStatus } from './workload-status.ts';

interface Strategy {
  type?: string;
  rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string };
}

interface Deployment {
  spec?: WorkloadSpec & { strategy?: Strategy; progressDeadlineSeconds?: number; paused?: boolean };
}

export const deployments: KindStrategy<Deployment> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    defaultPodTemplate((spec.template ??= {}));
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = (spec.strategy ??= {});
    strategy.type ||= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      fill((strategy.rollingUpdate ??= {}), { maxUnavailable: '25%', maxSurge: '25%' });
    }
  },
  prepareUpdate(object, old) {
    // ReplicaSets inherit annotations of a Deployment, so that a change of them increments the generation.
    const changed = !same(object.metadata.annotations, old.metadata.annotations);
    if (changed) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  prepareStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = old.metadata.labels;
  },
  validate(object, old) {
    const { spec = {} } = object;
    const before = old;
    const causes = validateSpec(spec);
    return before === undefined
      ? causes
      : [...causes, ...validateUnchanged('spec.selector', spec.selector, before.spec?.selector)];
  },
  parts: new Map([
    [
      'status',
      countingStatus(
        [
          'observedGeneration',
          'replicas',
          'updatedReplicas',
          'readyReplicas',
          'availableReplicas',
          'unavailableReplicas',
          'collisionCount',
        ],
        ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      ),
    ],
  ]),
  warnings: ({ metadata, spec }, old) => podMakerWarnings(metadata, 'spec.template', spec?.template, old),
};

function validateSpec(spec: NonNullable<Deployment['spec']>): FieldError[] {
  const { selector, strategy = {}, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec;
  const causes = validateNotNegative('spec.replicas', spec.replicas);
  if (selector === undefined || selector === null) causes.push(required('spec.selector'));
  else {
    append(
      causes,
      validateSelector('spec.selector', selector),
      validateNotEmpty('spec.selector', selector, 'deployment'),
    );
  }
  if (isUsable(selector)) {
    append(causes, validateTemplate('spec.template', spec));
    append(causes, validateRunsForever('spec.template', spec.template ?? {}, 'ReplicaSet'));
  } else causes.push(invalid('spec.selector', selector, 'invalid label selector'));
  append(causes, validateStrategy(strategy), validateNotNegative('spec.minReadySeconds', minReadySeconds));
  append(causes, validateNotNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit));
  if (deadline !== undefined) {
    append(causes, validateNotNegative('spec.progressDeadlineSeconds', deadline));
    if (deadline <= minReadySeconds) {
      causes.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
    }
  }
  return causes;
}

function validateStrategy({ type = '', rollingUpdate }: Strategy): FieldError[] {
  const at = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate') {
    return rollingUpdate === undefined
      ? []
      : [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') {
    const value = goStruct({ Type: type, RollingUpdate: rollingUpdate ?? null });
    const detail = 'supported values: "Recreate", "RollingUpdate"';
    return [{ type: 'NotSupported', field: 'spec.strategy', value, detail }];
  }
  if (rollingUpdate === undefined) return [required(at, 'this should be defaulted and never be nil')];
  const { maxSurge, maxUnavailable } = rollingUpdate;
  const causes = [
    ...validateAmount(`${at}.maxUnavailable`, maxUnavailable),
    ...validateAmount(`${at}.maxSurge`, maxSurge),
  ];
  if (countOrPercentOf(maxUnavailable) === 0 && countOrPercentOf(maxSurge) === 0) {
    causes.push(invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...causes, ...validateAtMostAll(`${at}.maxUnavailable`, maxUnavailable)];
}
