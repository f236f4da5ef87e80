import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems } from '#platform/base/names';
import type { KubeMeta } from '#platform/kube/kube-object';
import { causesFor, same, validateNotNegative, validateOneOf } from '../field-checks.ts';
import { fill } from '../fill.ts';
import { goStruct } from '../go-struct.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { validateSelector } from '../label-selector.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { podMakerWarnings } from '../pod/pod-warnings.ts';
import { type ClaimSpec, validateClaimSpec } from '../storage/claim-spec.ts';
import {
  isUsable,
  validateAmount,
  validateNotEmpty,
  validateRunsForever,
  validateTemplate,
  type WorkloadSpec,
} from './workload.ts';
import { countingStatus } from './workload-status.ts';

interface UpdateStrategy {
  type?: string;
  rollingUpdate?: { partition?: number; maxUnavailable?: number | string };
}

interface StatefulSetSpec extends WorkloadSpec {
  serviceName?: string;
  podManagementPolicy?: string;
  updateStrategy?: UpdateStrategy;
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  ordinals?: { start?: number };
  volumeClaimTemplates?: {
    kind?: string;
    apiVersion?: string;
    metadata?: KubeMeta;
    spec?: ClaimSpec;
    status?: { phase?: string };
  }[];
}

interface StatefulSet {
  spec?: StatefulSetSpec;
}

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;
const ONLY_THESE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export const statefulSets: KindStrategy<StatefulSet> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    defaultPodTemplate((spec.template ??= {}));
    spec.podManagementPolicy ||= 'OrderedReady';
    const strategy = (spec.updateStrategy ??= {});
    if ((strategy.type ?? '') === '') {
      strategy.type = 'RollingUpdate';
      (strategy.rollingUpdate ??= {}).partition ??= 0;
    } else if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) {
      strategy.rollingUpdate.partition ??= 0;
    }
    fill((spec.persistentVolumeClaimRetentionPolicy ??= {}), { whenDeleted: 'Retain', whenScaled: 'Retain' });
    fill(spec, { replicas: 1, revisionHistoryLimit: 10 });
    for (const template of spec.volumeClaimTemplates ?? []) {
      fill(template, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
      (template.spec ??= {}).volumeMode ??= 'Filesystem';
      (template.status ??= {}).phase ??= 'Pending';
    }
  },
  firstStatus: () => ({ replicas: 0, availableReplicas: 0 }),
  validate(object, old) {
    const { spec = {} } = object;
    const before = old;
    const causes = validateSpec(spec);
    if (before === undefined) return [...causes, ...validateServiceName(spec)];
    const kept = { ...spec, ...Object.fromEntries(CHANGEABLE.map((field) => [field, before.spec?.[field]])) };
    return same(kept, before.spec) ? causes : [...causes, forbidden('spec', ONLY_THESE)];
  },
  parts: new Map([
    [
      'status',
      countingStatus(
        [
          'replicas',
          'readyReplicas',
          'currentReplicas',
          'updatedReplicas',
          'availableReplicas',
          'observedGeneration',
          'collisionCount',
        ],
        ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      ),
    ],
  ]),
  warnings({ metadata, spec = {} }, old) {
    const warnings = podMakerWarnings(metadata, 'spec.template', spec.template, old, false);
    if ((spec.revisionHistoryLimit ?? 0) >= 0) return warnings;
    const detail = 'a negative value retains all historical revisions; a value >= 0 is recommended';
    return [`spec.revisionHistoryLimit: ${detail}`, ...warnings];
  },
};

/** Validates the service name, only on creation because it is immutable. */
function validateServiceName({ serviceName = '' }: StatefulSetSpec): FieldError[] {
  return serviceName === '' ? [] : causesFor('spec.serviceName', serviceName, dns1123LabelProblems(serviceName));
}

function validateSpec(spec: StatefulSetSpec): FieldError[] {
  const { selector, podManagementPolicy: policy = '' } = spec;
  const causes: FieldError[] = [];
  if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    causes.push(invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  append(causes, validateStrategy(spec.updateStrategy ?? {}), validateRetention(spec));
  append(
    causes,
    validateNotNegative('spec.replicas', spec.replicas),
    validateNotNegative('spec.minReadySeconds', spec.minReadySeconds),
  );
  append(causes, validateNotNegative('spec.ordinals.start', spec.ordinals?.start));
  if (selector === undefined || selector === null) causes.push(required('spec.selector'));
  else {
    append(
      causes,
      validateSelector('spec.selector', selector),
      validateNotEmpty('spec.selector', selector, 'statefulset'),
    );
  }
  for (const [i, { spec: claim = {} }] of (spec.volumeClaimTemplates ?? []).entries()) {
    append(causes, validateClaimSpec(`${index('spec.volumeClaimTemplates', i)}.spec`, claim));
  }
  if (isUsable(selector)) {
    append(causes, validateTemplate('spec.template', withClaims(spec)));
    append(causes, validateRunsForever('spec.template', spec.template ?? {}, 'StatefulSet'));
  } else causes.push(invalid('spec.selector', selector, ''));
  return causes;
}

/** Adds the volumes of the claim templates to the pod template, since the pods mount them. */
function withClaims(spec: StatefulSetSpec): StatefulSetSpec {
  const { template = {}, volumeClaimTemplates = [] } = spec;
  if (volumeClaimTemplates.length === 0) return spec;
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''));
  const own = (template.spec?.volumes ?? []).filter(({ name = '' }) => !names.has(name));
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...spec, template: { ...template, spec: { ...template.spec, volumes: [...own, ...claimed] } } };
}

function validateStrategy({ type = '', rollingUpdate }: UpdateStrategy): FieldError[] {
  const at = 'spec.updateStrategy';
  const shown = { Partition: rollingUpdate?.partition ?? 0, MaxUnavailable: rollingUpdate?.maxUnavailable ?? null };
  if (type === '') return [required(at)];
  if (type === 'OnDelete') {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return rollingUpdate === undefined ? [] : [invalid(`${at}.rollingUpdate`, goStruct(shown), detail)];
  }
  if (type !== 'RollingUpdate') {
    const value = { Type: type, RollingUpdate: rollingUpdate === undefined ? null : shown };
    return [invalid(at, goStruct(value), "must be 'RollingUpdate' or 'OnDelete'")];
  }
  return [
    ...validateNotNegative(`${at}.rollingUpdate.partition`, rollingUpdate?.partition),
    ...validateAmount(`${at}.rollingUpdate.maxUnavailable`, rollingUpdate?.maxUnavailable),
  ];
}

function validateRetention({ persistentVolumeClaimRetentionPolicy: policy }: StatefulSetSpec): FieldError[] {
  if (policy === undefined) return [];
  return (['whenDeleted', 'whenScaled'] as const).flatMap((field) =>
    validateOneOf(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy[field], ['Retain', 'Delete']),
  );
}

interface Revision {
  data?: unknown;
  revision?: number;
}

export const controllerRevisions: KindStrategy<Revision> = {
  validate(object, old) {
    const { data, revision } = object;
    const causes = data === undefined || data === null ? [required('data', 'data is mandatory')] : [];
    append(causes, validateNotNegative('revision', revision));
    const before = old;
    if (before !== undefined && !same(data, before.data)) causes.push(invalid('data', data, 'field is immutable'));
    return causes;
  },
};
