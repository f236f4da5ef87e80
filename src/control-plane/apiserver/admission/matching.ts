import type { KubeObject } from '#platform/kube/kube-object';
import { type LabelSelector, type LabelSelectorSpec, labelSelectorOf } from '#platform/kube/selectors/label-selector';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { type ObjectSource, readObject } from '../object-source.ts';
import type { Registry } from '../registry.ts';
import type { Resource } from '../resource.ts';

/** One rule of a webhook or policy. Only policies have resource names. */
export interface ResourceRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** Selects the requests that a webhook or policy applies to. */
export interface MatchSpec {
  readonly rules: readonly ResourceRule[];
  readonly excludeRules?: readonly ResourceRule[];
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
}

/**
 * Returns the resource as which a matching request is presented, undefined if it does not match. It is another version
 * if a rule names that one.
 */
export type Match = (write: AdmissionAttributes) => Resource | undefined;

export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

/**
 * Reports whether webhooks and policies are skipped for a write, because it is of an object that configures admission.
 */
export function isExempt({ resource }: AdmissionAttributes): boolean {
  return resource.group === ADMISSION_GROUP;
}

/** Returns the namespace of a request. A Namespace object is in itself. */
export function namespaceOf({ resource, namespace, name }: AdmissionAttributes): string {
  return resource.plural === 'namespaces' && resource.group === '' ? name : namespace;
}

export function matcher(spec: MatchSpec, source: ObjectSource): Match {
  const { rules, excludeRules = [], matchPolicy = 'Equivalent' } = spec;
  const inNamespace = namespaceMatcher(spec.namespaceSelector, source);
  const ofObject = objectMatcher(spec.objectSelector);
  return (write) => {
    if (!inNamespace(write) || !ofObject(write)) return undefined;
    const equivalent = matchPolicy === 'Equivalent';
    if (excludeRules.length > 0 && matchingRule(excludeRules, write, equivalent, source.registry) !== undefined) return;
    return matchingRule(rules, write, equivalent, source.registry);
  };
}

/**
 * Returns the resource of the matching rule. A rule for the version of the request takes precedence over one for
 * another version.
 */
function matchingRule(
  rules: readonly ResourceRule[],
  write: AdmissionAttributes,
  equivalent: boolean,
  registry: Registry,
): Resource | undefined {
  const { resource } = write;
  if (rules.some((rule) => covers(rule, write, resource))) return resource;
  if (!equivalent) return undefined;
  const candidates = rules.filter((rule) => coversRequest(rule, write));
  if (candidates.length === 0) return undefined;
  for (const other of registry.all()) {
    if (other === resource || other.storage.prefix !== resource.storage.prefix) continue;
    if (candidates.some((rule) => covers(rule, write, other))) return other;
  }
  return undefined;
}

function has(items: readonly string[] | undefined, desired: string): boolean {
  return items?.some((item) => item === '*' || item === desired) === true;
}

/** Reports whether a rule covers a request for one version of its resource. */
export function covers(rule: ResourceRule, write: AdmissionAttributes, { group, version, plural }: Resource): boolean {
  if (!has(rule.apiGroups, group) || !has(rule.apiVersions, version) || !coversRequest(rule, write)) return false;
  return (
    rule.resources?.some((named) => {
      const slash = named.indexOf('/');
      const [resource, subresource] = slash < 0 ? [named, ''] : [named.slice(0, slash), named.slice(slash + 1)];
      return (resource === '*' || resource === plural) && (subresource === '*' || subresource === write.subresource);
    }) === true
  );
}

/** Reports whether the parts of a rule other than the resource match. */
function coversRequest(rule: ResourceRule, write: AdmissionAttributes): boolean {
  if (!has(rule.operations, write.operation)) return false;
  if (rule.scope === 'Namespaced' && !write.resource.namespaced) return false;
  if (rule.scope === 'Cluster' && write.resource.namespaced) return false;
  const { resourceNames = [] } = rule;
  return resourceNames.length === 0 || resourceNames.includes(write.name);
}

function selectorOf(spec: LabelSelectorSpec | undefined): LabelSelector | undefined {
  const selector = labelSelectorOf(spec ?? {});
  return selector.requirements.length === 0 ? undefined : selector;
}

/** Returns a matcher that never excludes cluster-scoped requests. A Namespace is matched by its own labels. */
function namespaceMatcher(
  spec: LabelSelectorSpec | undefined,
  source: ObjectSource,
): (write: AdmissionAttributes) => boolean {
  const selector = selectorOf(spec);
  if (selector === undefined) return () => true;
  return (write) => {
    const { resource, subresource, object } = write;
    const isNamespace = resource.plural === 'namespaces' && resource.group === '';
    if (!resource.namespaced && !isNamespace) return true;
    const own = isNamespace && subresource === '' ? object : undefined;
    const namespace = own ?? namespaceObject(source, namespaceOf(write));
    return namespace !== undefined && selector.matches(namespace.metadata.labels);
  };
}

export function namespaceObject(source: ObjectSource, name: string): KubeObject | undefined {
  return name === '' ? undefined : readObject(source, '', 'v1', 'namespaces', '', name);
}

function objectMatcher(spec: LabelSelectorSpec | undefined): (write: AdmissionAttributes) => boolean {
  const selector = selectorOf(spec);
  if (selector === undefined) return () => true;
  // The options of a CONNECT request are no object with metadata.
  const matches = (object: Partial<KubeObject> | undefined) =>
    object?.metadata !== undefined && selector.matches(object.metadata.labels);
  return ({ object, old }) => matches(object) || matches(old);
}
