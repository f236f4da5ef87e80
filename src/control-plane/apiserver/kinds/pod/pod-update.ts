import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { MAX_INT32, same, validateBetween } from '../field-checks.ts';
import { goTerm } from './go-node-selector.ts';
import type { Affinity, Container, PodSpec, Toleration } from './pod-spec.ts';

const MAY_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Validates a change of a pod. Very little may change, because it may already run. */
export function validatePodChange(field: string, spec: PodSpec, old: PodSpec): FieldError[] {
  const causes = [
    ...validateCount(`${field}.containers`, spec.containers ?? [], old.containers ?? []),
    ...validateCount(`${field}.initContainers`, spec.initContainers ?? [], old.initContainers ?? []),
  ];
  if (causes.length > 0) return causes;
  append(
    causes,
    validateImages(`${field}.containers`, spec.containers ?? []),
    validateImages(`${field}.initContainers`, spec.initContainers ?? []),
    validateDeadline(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, old.activeDeadlineSeconds),
    validateTolerations(`${field}.tolerations`, spec.tolerations ?? [], old.tolerations ?? []),
    validateGates(`${field}.schedulingGates`, spec, old),
  );
  const gated = (old.schedulingGates ?? []).length > 0;
  if (gated) {
    append(causes, validateNodeSelector(`${field}.nodeSelector`, spec.nodeSelector ?? {}, old.nodeSelector ?? {}));
    append(causes, validateNodeAffinity(`${field}.affinity.nodeAffinity`, spec, old));
  }
  return same(withoutChangeable(spec, old, gated), old) ? causes : [...causes, forbidden(field, MAY_CHANGE)];
}

function validateCount(field: string, now: readonly Container[], before: readonly Container[]): FieldError[] {
  return now.length === before.length ? [] : [forbidden(field, 'pod updates may not add or remove containers')];
}

function validateImages(field: string, containers: readonly Container[]): FieldError[] {
  return containers.flatMap(({ image = '' }, i) => {
    const at = `${index(field, i)}.image`;
    return image === '' ? [required(at)] : validateImage(at, image);
  });
}

export function validateImage(field: string, image: string): FieldError[] {
  return image.trim() === image ? [] : [invalid(field, image, 'must not have leading or trailing whitespace')];
}

function validateDeadline(field: string, now: number | undefined, before: number | undefined): FieldError[] {
  if (now === undefined) {
    const detail = 'must not update from a positive integer to nil value';
    return before === undefined ? [] : [invalid(field, null, detail)];
  }
  const causes = validateBetween(field, now, 0, MAX_INT32);
  if (causes.length > 0 || before === undefined || now <= before) return causes;
  return [invalid(field, now, 'must be less than or equal to previous value')];
}

function validateTolerations(field: string, now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const plain = ({ tolerationSeconds: _seconds, ...rest }: Toleration) => rest;
  // The fields of decoded objects are in a fixed order.
  const all = new Set(now.map((toleration) => JSON.stringify(plain(toleration))));
  const kept = before.every((old) => all.has(JSON.stringify(plain(old))));
  return kept ? [] : [forbidden(field, 'existing toleration can not be modified except its tolerationSeconds')];
}

function validateGates(field: string, now: PodSpec, before: PodSpec): FieldError[] {
  const known = new Set((before.schedulingGates ?? []).map(({ name }) => name));
  return (now.schedulingGates ?? []).flatMap(({ name = '' }, i) =>
    known.has(name)
      ? []
      : [forbidden(`${index(field, i)}.name`, `only deletion is allowed, but found new scheduling gate '${name}'`)],
  );
}

/** Validates that a gated pod only adds to its nodeSelector. */
function validateNodeSelector(
  field: string,
  now: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): FieldError[] {
  const kept = Object.entries(before).every(([name, value]) => now[name] === value);
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return kept ? [] : [invalid(field, now, detail)];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * Validates that a gated pod only adds requirements to its required node affinity terms, and adds no term to existing
 * ones.
 */
function validateNodeAffinity(field: string, now: PodSpec, before: PodSpec): FieldError[] {
  const terms = (spec: PodSpec) => spec.affinity?.nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? [];
  const [desired, known] = [terms(now), terms(before)];
  if (known.length === 0) return [];
  const at = `${field}.${REQUIRED}.nodeSelectorTerms`;
  if (desired.length !== known.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalid(at, desired.length === 0 ? null : desired.map(goTerm), detail)];
  }
  return desired.flatMap((term, i) => {
    const kept = (['matchExpressions', 'matchFields'] as const).every((list) => {
      const all = new Set((term[list] ?? []).map((item) => JSON.stringify(item)));
      return (known[i]?.[list] ?? []).every((old) => all.has(JSON.stringify(old)));
    });
    const detail = 'only additions are allowed (no mutations or deletions)';
    return kept ? [] : [invalid(index(at, i), goTerm(term), detail)];
  });
}

/** Returns the new spec with all mutable fields taken from the old one. */
function withoutChangeable(spec: PodSpec, old: PodSpec, gated: boolean): PodSpec {
  const images = (now: readonly Container[] = [], before: readonly Container[] = []) =>
    now.map((container, i) => withImage(container, before[i]));
  const result: PodSpec = { ...spec };
  result.containers = images(spec.containers ?? [], old.containers ?? []);
  result.initContainers = images(spec.initContainers, old.initContainers);
  const taken = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'] as const;
  for (const field of gated ? ([...taken, 'nodeSelector'] as const) : taken) {
    if (old[field] === undefined) delete result[field];
    else Object.assign(result, { [field]: old[field] });
  }
  if (gated && same(withoutNodes(spec.affinity), withoutNodes(old.affinity))) {
    if (old.affinity === undefined) delete result.affinity;
    else result.affinity = old.affinity;
  }
  const grace = old.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0 && spec.terminationGracePeriodSeconds === 1) {
    result.terminationGracePeriodSeconds = grace;
  }
  return result;
}

/** Returns an affinity without the required node affinity, undefined if nothing remains. */
function withoutNodes(affinity: Affinity | undefined): object | undefined {
  const { nodeAffinity = {}, ...rest } = affinity ?? {};
  const { [REQUIRED]: _required, ...preferred } = nodeAffinity;
  const others = { ...rest, ...(Object.keys(preferred).length === 0 ? {} : { nodeAffinity: preferred }) };
  return Object.keys(others).length === 0 ? undefined : others;
}

function withImage(container: Container, old: Container | undefined): Container {
  return old?.image === undefined ? container : { ...container, image: old.image };
}
