import type { KubeMeta } from '#platform/kube/kube-object';
import type { Container, SecurityContext as PlainContext, PodSpec } from '../../kinds/pod/pod-spec.ts';

/** The parts of a security context that matter here; those of pods and of containers alike. */
export interface SecurityContext extends PlainContext {
  runAsNonRoot?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  seLinuxOptions?: { type?: string; user?: string; role?: string };
  windowsOptions?: { hostProcess?: boolean };
  sysctls?: { name?: string }[];
}

/** What a check looks at. */
export interface SecuritySubject {
  readonly metadata: KubeMeta;
  readonly spec: PodSpec;
  /** In the order in which they start. */
  readonly containers: readonly Container[];
}

/** Something that a level does not allow. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export interface SecurityCheck {
  /** Checks are told in the order of their names. */
  readonly id: string;
  /** The minor version of Kubernetes that brought it. */
  readonly since?: number;
  /** Checks of the lower level that this one says as well. */
  readonly replaces?: string;
  run(subject: SecuritySubject, minor: number): Violation | undefined;
}

export function securitySubjectOf(metadata: KubeMeta, spec: PodSpec): SecuritySubject {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  return { metadata, spec, containers };
}

export const contextOf = ({ securityContext }: Container | PodSpec): SecurityContext => securityContext ?? {};

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);
export const quoteNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** `container "a"`, `containers "a", "b"`. */
export function formatContainers(names: readonly string[]): string {
  return `${plural('container', 'containers', names.length)} ${quoteNames(names)}`;
}

/** The names of containers that a test picks. */
export function namesOf({ containers }: SecuritySubject, test: (container: Container) => boolean): string[] {
  return containers.filter(test).map(({ name = '' }) => name);
}

/** Who did something that may not be done: the pod, some of its containers, or both; undefined where nobody did. */
export function culprits(subject: SecuritySubject, test: (context: SecurityContext) => boolean): string | undefined {
  const names = namesOf(subject, (container) => test(contextOf(container)));
  const parts = [
    ...(test(contextOf(subject.spec)) ? ['pod'] : []),
    ...(names.length > 0 ? [formatContainers(names)] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** The values that a pod and its containers have in some place, each once, in order. */
export function valuesOf(
  { spec, containers }: SecuritySubject,
  pick: (context: SecurityContext) => string[],
): string[] {
  return [...new Set([spec, ...containers].flatMap((each) => pick(contextOf(each))))].sort();
}
