import type { Parameter } from './parameter.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** A kind as named in OpenAPI's Kubernetes extensions. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One method at one path, independent of the version of OpenAPI. */
export interface OpenApiOperation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Component of the request body. */
  readonly body?: { readonly component: string; readonly required: boolean };
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Components of the responses by status. Null means text. */
  readonly responses: Readonly<Record<string, string | null>>;
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
}

/** Operations at one path. */
export interface PathOperations {
  readonly path: string;
  readonly operations: readonly OpenApiOperation[];
}

const RESPONSES: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

export function formatResponseText(status: string): string {
  return RESPONSES[status] ?? '';
}

/** Returns the parameters that all operations of a path share, which are written once for the path. */
export function commonParameters(operations: readonly OpenApiOperation[]): readonly Parameter[] {
  const [first, ...others] = operations;
  if (first === undefined) return [];
  return sortedParameters(
    first.parameters.filter((parameter) => others.every(({ parameters }) => parameters.includes(parameter))),
  );
}

export function sortedParameters(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.toSorted((a, b) => compare(a.name, b.name) || compare(a.in, b.in));
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the name of a group in operation ids: hypersdk.io is HypersdkIo, rbac.authorization.k8s.io RbacAuthorization.
 */
export function groupTitle(group: string): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[^A-Za-z0-9]+/)
    .map(title)
    .join('');
}

/** Returns the tag that groups operations in generated clients: core_v1, hypersdkIo_v1alpha1, or only the group. */
export function tagOf(group: string, version?: string): string {
  const name = groupTitle(group);
  const lower = name.slice(0, 1).toLowerCase() + name.slice(1);
  return version === undefined ? lower : `${lower}_${version}`;
}

export function title(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
