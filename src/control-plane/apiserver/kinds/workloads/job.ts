import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import type { KubeObject } from '#platform/kube/kube-object';
import { validateNotNegative, validateOneOf, validateOneOfIfSet, validateUnchanged } from '../field-checks.ts';
import { fill } from '../fill.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { type LabelSelector, matches, validateSelector } from '../label-selector.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import type { PodTemplate } from '../pod/pod-spec.ts';
import { validatePodTemplate } from '../pod/pod-template.ts';
import { podMakerWarnings } from '../pod/pod-warnings.ts';

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  manualSelector?: boolean;
  managedBy?: string;
  suspend?: boolean;
  selector?: LabelSelector;
  template?: PodTemplate;
  podReplacementPolicy?: string;
  podFailurePolicy?: { rules?: { onPodConditions?: { status?: string }[] }[] };
  successPolicy?: unknown;
}

interface Job {
  spec?: JobSpec;
}

const MAX_RETRIES = 2_147_483_647;
const TOO_MANY_INDEXES =
  'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

export const jobs: KindStrategy<Job> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    defaultJobTemplate(spec);
    // Without both numbers there is one pod. With parallelism alone, the pods decide when the work is done.
    if (spec.completions === undefined && spec.parallelism === undefined)
      fill(spec, { completions: 1, parallelism: 1 });
    fill(spec, {
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : MAX_RETRIES,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
      manualSelector: false,
    });
    // Both labels are the same object until creation, which adds the labels that identify the Job's pods.
    const ofPods = spec.template?.metadata?.labels;
    if (object.metadata.labels === undefined && ofPods !== undefined) object.metadata.labels = ofPods;
  },
  prepareCreate(object) {
    const spec = (object.spec ??= {});
    if (spec.manualSelector !== true) selectByUid(object, spec);
    const ofPods = spec.template?.metadata?.labels;
    const { labels = ofPods } = object.metadata;
    if (labels !== undefined && labels === ofPods) object.metadata.labels = { ...ofPods };
  },
  validate(object, old) {
    const { spec = {} } = object;
    const causes = [...validateSelected(object, spec), ...validateJobSpec('spec', spec)];
    const before = old?.spec;
    return before === undefined ? causes : [...causes, ...validateChange(spec, before)];
  },
  warnings({ metadata, spec = {} }, old) {
    const { completionMode, completions = 0, parallelism = 0 } = spec;
    const warnings = podMakerWarnings(metadata, 'spec.template', spec.template, old);
    const many = completionMode === 'Indexed' && completions > 100_000 && parallelism > 10_000;
    return many ? [...warnings, TOO_MANY_INDEXES] : warnings;
  },
};

/** Sets the defaults of a Job's pod template and failure policy. Job templates have no more defaults. */
export function defaultJobTemplate(spec: JobSpec): void {
  defaultPodTemplate((spec.template ??= {}));
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const condition of onPodConditions) condition.status ||= 'True';
  }
}

/** Selects the pods of a Job by its uid, so that no two Jobs share any. */
function selectByUid({ metadata }: KubeObject, spec: JobSpec): void {
  const { uid = '', name = '' } = metadata;
  const template = (spec.template ??= {});
  const labels = ((template.metadata ??= {}).labels ??= {});
  const own: Readonly<Record<string, string>> = {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    [CONTROLLER_UID]: uid,
  };
  for (const [key, value] of Object.entries(own)) labels[key] ??= value;
  const selector = (spec.selector ??= {});
  (selector.matchLabels ??= {})[CONTROLLER_UID] ??= uid;
}

function validateSelected({ metadata }: KubeObject, spec: JobSpec): FieldError[] {
  const { selector, template = {} } = spec;
  const causes = selector === undefined ? [required('spec.selector')] : validateSelector('spec.selector', selector);
  if (spec.manualSelector !== true && selector !== undefined) {
    const own = { matchLabels: { [CONTROLLER_UID]: metadata.uid ?? '' } };
    const generated =
      Object.keys(selector.matchLabels ?? {}).length === 1 &&
      matches(own, selector.matchLabels) &&
      selector.matchExpressions === undefined;
    if (!generated) causes.push(invalid('spec.selector', selector, '`selector` not auto-generated'));
  }
  const labels = template.metadata?.labels;
  if (causes.some(({ detail }) => detail === 'not a valid selector operator')) return causes;
  if (selector === undefined || !matches(selector, labels)) {
    const detail = '`selector` does not match template `labels`';
    causes.push(invalid('spec.template.metadata.labels', labels ?? null, detail));
  }
  return causes;
}

export function validateJobSpec(field: string, spec: JobSpec): FieldError[] {
  const { template = {} } = spec;
  const causes = (
    ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'] as const
  ).flatMap((name) => validateNotNegative(`${field}.${name}`, spec[name]));
  append(causes, validateOneOfIfSet(`${field}.completionMode`, spec.completionMode, ['NonIndexed', 'Indexed']));
  if (spec.completionMode === 'Indexed' && spec.completions === undefined) {
    causes.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  }
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    const value = spec[name];
    if (value === undefined) continue;
    append(causes, validateNotNegative(`${field}.${name}`, value));
    if (spec.completionMode !== 'Indexed') {
      causes.push(invalid(`${field}.${name}`, value, 'requires indexed completion mode'));
    }
  }
  if (spec.managedBy !== undefined) append(causes, validateDomainPath(`${field}.managedBy`, spec.managedBy));
  const policies = ['Failed', 'TerminatingOrFailed'];
  append(causes, validateOneOfIfSet(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, policies));
  append(causes, validatePodTemplate(`${field}.template`, template));
  const restart = template.spec?.restartPolicy ?? '';
  const at = `${field}.template.spec.restartPolicy`;
  if (restart === '' || restart === 'Always') causes.push(required(at, 'valid values: "OnFailure", "Never"'));
  else append(causes, validateOneOf(at, restart, ['OnFailure', 'Never']));
  return causes;
}

/** Validates a name such as `acme.io/foo`. */
export function validateDomainPath(field: string, value: string): FieldError[] {
  const slash = value.indexOf('/');
  const [domain, path] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash <= 0 || path === '') {
    return [invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const causes = dns1123SubdomainProblems(domain).map((problem) => invalid(field, domain, problem));
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) causes.push(invalid(field, path, 'Invalid path'));
  return causes;
}

function validateChange(spec: JobSpec, old: JobSpec): FieldError[] {
  const causes: FieldError[] = [];
  append(causes, validateCompletions(spec, old));
  append(causes, validateUnchanged('spec.selector', spec.selector, old.selector));
  // The placement of the pods of a suspended Job may still change.
  const resumable = old.suspend === true;
  append(
    causes,
    validateUnchanged(
      'spec.template',
      resumable ? placeless(spec.template) : spec.template,
      resumable ? placeless(old.template) : old.template,
    ),
  );
  for (const name of [
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ] as const) {
    append(causes, validateUnchanged(`spec.${name}`, spec[name], old[name]));
  }
  return causes;
}

/** Validates that completions change only for an Indexed Job, together with parallelism. */
function validateCompletions(spec: JobSpec, old: JobSpec): FieldError[] {
  const { completions, parallelism } = spec;
  if (completions === old.completions || (completions !== undefined && spec.completionMode === 'Indexed')) {
    const together = completions === old.completions || completions === parallelism;
    const detail = 'can only be modified in tandem with spec.parallelism';
    return together ? [] : [invalid('spec.completions', completions, detail)];
  }
  return validateUnchanged('spec.completions', completions, old.completions);
}

function placeless(template: PodTemplate = {}): PodTemplate {
  const { nodeSelector: _n, affinity: _a, tolerations: _t, schedulingGates: _g, ...spec } = template.spec ?? {};
  return { ...template, metadata: {}, spec };
}
