import { append } from '#platform/base/append';
import type { KubeMeta, KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { invalid } from '../../api-error.ts';
import type { Pod, PodSpec, PodTemplate } from '../../kinds/pod/pod-spec.ts';
import type { ObjectSource } from '../../object-source.ts';
import { keyOf } from '../../resource.ts';
import { admissionDenial } from '../denial.ts';
import { namespaceObject } from '../matching.ts';
import { isPods } from '../pod-write.ts';
import { securitySubjectOf } from './check.ts';
import { formatViolations, violations } from './evaluate.ts';
import { formatStandard, isAtMost, type Standard, sameStandard, standardOf, validateLabel } from './level.ts';

/**
 * Enforces the level that the labels of a namespace set on its pods, and warns of workloads whose pods would violate
 * it.
 */
export function podSecurity(source: ObjectSource): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    validate(write) {
      const { operation, resource, subresource, object } = write;
      if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
      if (isPods(write)) checkPod(write, source);
      else if (resource.plural === 'namespaces' && resource.group === '' && subresource === '') {
        checkNamespace(write, object, source);
      } else if (subresource === '') warnOfTemplate(write, object, source);
    },
  };
}

/** Checks a pod when it is created or gets ephemeral containers. No other update changes relevant fields. */
function checkPod(write: AdmissionAttributes, source: ObjectSource): void {
  const isNew = write.operation === 'CREATE' && write.subresource === '';
  if (!isNew && write.subresource !== 'ephemeralcontainers') return;
  const labels = namespaceObject(source, write.namespace)?.metadata.labels;
  if (labels === undefined) return;
  const { metadata, spec } = write.object as Pod;
  const enforced = standardOf(labels, 'enforce');
  const found = violations(enforced, securitySubjectOf(metadata, spec));
  if (found.length > 0) {
    throw admissionDenial(write, `violates PodSecurity "${formatStandard(enforced)}": ${formatViolations(found)}`);
  }
  warn(write, labels, metadata, spec);
}

function warn(write: AdmissionAttributes, labels: KubeMeta['labels'], metadata: KubeMeta, spec: PodSpec): void {
  const standard = standardOf(labels, 'warn');
  const found = violations(standard, securitySubjectOf(metadata, spec));
  if (found.length === 0) return;
  write.call.warnings.push(`would violate PodSecurity "${formatStandard(standard)}": ${formatViolations(found)}`);
}

/** Paths of the pod templates of workloads. */
const TEMPLATES: ReadonlyMap<string, { readonly group: string; readonly path: readonly string[] }> = new Map([
  ['deployments', { group: 'apps', path: ['spec', 'template'] }],
  ['daemonsets', { group: 'apps', path: ['spec', 'template'] }],
  ['statefulsets', { group: 'apps', path: ['spec', 'template'] }],
  ['replicasets', { group: 'apps', path: ['spec', 'template'] }],
  ['replicationcontrollers', { group: '', path: ['spec', 'template'] }],
  ['podtemplates', { group: '', path: ['template'] }],
  ['jobs', { group: 'batch', path: ['spec', 'template'] }],
  ['cronjobs', { group: 'batch', path: ['spec', 'jobTemplate', 'spec', 'template'] }],
]);

function warnOfTemplate(write: AdmissionAttributes, object: KubeObject, source: ObjectSource): void {
  const known = TEMPLATES.get(write.resource.plural);
  if (known?.group !== write.resource.group) return;
  const labels = namespaceObject(source, write.namespace)?.metadata.labels;
  if (labels === undefined || standardOf(labels, 'warn').level === 'privileged') return;
  let at: unknown = object;
  for (const name of known.path) at = (at as Readonly<Record<string, unknown>> | undefined)?.[name];
  const { metadata = {}, spec } = (at ?? {}) as PodTemplate;
  if (spec !== undefined) warn(write, labels, metadata, spec);
}

function checkNamespace(write: AdmissionAttributes, namespace: KubeObject, source: ObjectSource): void {
  const { labels, name = '' } = namespace.metadata;
  const before = write.old?.metadata.labels;
  const causes = validateLabel(labels);
  const changed = write.old === undefined || JSON.stringify(causes) !== JSON.stringify(validateLabel(before));
  if (causes.length > 0 && changed) throw invalid(write.resource, name, causes);
  if (write.old === undefined) return;
  const [now, then] = [standardOf(labels, 'enforce'), standardOf(before, 'enforce')];
  if (sameStandard(now, then) || now.level === 'privileged') return;
  if (now.minor === then.minor && isAtMost(now.level, then.level)) return;
  append(write.call.warnings, podWarnings(name, now, source));
}

/** Maximum number of pods to check on a change of labels. The check only warns and must stay cheap. */
const MAX_PODS = 3000;

/** Returns the violations of existing pods, with one line for all pods with the same reasons. */
function podWarnings(namespace: string, standard: Standard, { store, registry, parsed }: ObjectSource): string[] {
  const pods = registry.find('', 'v1', 'pods');
  if (pods === undefined) return [];
  const byReasons = new Map<string, string[]>();
  for (const entry of store.range({ prefix: keyOf(pods, namespace, ''), limit: MAX_PODS }).entries) {
    const { metadata, spec } = parsed.get(entry) as Pod;
    const reasons = violations(standard, securitySubjectOf(metadata, spec)).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const text = reasons.join(', ');
    byReasons.set(text, [...(byReasons.get(text) ?? []), metadata.name ?? '']);
  }
  if (byReasons.size === 0) return [];
  const lines = [...byReasons].map(([reasons, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
    return `${first}${more}: ${reasons}`;
  });
  const head = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatStandard(standard)}"`;
  return [head, ...lines.sort()];
}
