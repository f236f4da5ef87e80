import type { KubeMeta } from '#platform/kube/kube-object';
import type { Container, SecurityContext as PlainContext, PodSpec } from '../../kinds/pod/pod-spec.ts';

/** Relevant fields of a security context, of pods and of containers. */
export interface CheckedSecurityContext extends PlainContext {
  runAsNonRoot?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  seLinuxOptions?: { type?: string; user?: string; role?: string };
  windowsOptions?: { hostProcess?: boolean };
  sysctls?: { name?: string }[];
}

/** Subject of a check. */
export interface SecuritySubject {
  readonly metadata: KubeMeta;
  readonly spec: PodSpec;
  /** Containers in the order in which they start. */
  readonly containers: readonly Container[];
}

/** A violation of a level. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export interface SecurityCheck {
  /** Checks are reported in the order of their ids. */
  readonly id: string;
  /** Minor version of Kubernetes that introduced the check. */
  readonly since?: number;
  /** Check of the lower level that this one includes. */
  readonly replaces?: string;
  run(subject: SecuritySubject, minor: number): Violation | undefined;
}

export function securitySubjectOf(metadata: KubeMeta, spec: PodSpec): SecuritySubject {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  return { metadata, spec, containers };
}

export const contextOf = ({ securityContext }: Container | PodSpec): CheckedSecurityContext => securityContext ?? {};

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);
export const quoteNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** Formats names as `container "a"` or `containers "a", "b"`. */
export function formatContainers(names: readonly string[]): string {
  return `${plural('container', 'containers', names.length)} ${quoteNames(names)}`;
}

/** Returns the names of the containers that pass a test. */
export function namesOf({ containers }: SecuritySubject, test: (container: Container) => boolean): string[] {
  return containers.filter(test).map(({ name = '' }) => name);
}

/** Describes who violates a test: the pod, some of its containers, or both. Undefined if neither does. */
export function culprits(
  subject: SecuritySubject,
  test: (context: CheckedSecurityContext) => boolean,
): string | undefined {
  const names = namesOf(subject, (container) => test(contextOf(container)));
  const parts = [
    ...(test(contextOf(subject.spec)) ? ['pod'] : []),
    ...(names.length > 0 ? [formatContainers(names)] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** Returns the distinct values of a field of a pod and its containers, in order. */
export function distinctValues(
  { spec, containers }: SecuritySubject,
  pick: (context: CheckedSecurityContext) => string[],
): string[] {
  return [...new Set([spec, ...containers].flatMap((each) => pick(contextOf(each))))].sort();
}
