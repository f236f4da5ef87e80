import { append } from '#platform/base/append';
import { type Component, referencesIn, referenceTo } from './component.ts';
import {
  commonParameters,
  compare,
  formatResponseText,
  type OpenApiOperation,
  type PathOperations,
  sortedParameters,
} from './operation.ts';
import type { Parameter } from './parameter.ts';

/** Inputs of a document. */
export interface DocumentParts {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: readonly PathOperations[];
  /** Returns the text of a component and its references, undefined if there is none of that name. */
  readonly component: (name: string) => ComponentText | undefined;
  /** Includes the security schemes. Custom resources leave them out. */
  readonly security: boolean;
}

export interface ComponentText {
  readonly text: string;
  readonly references: ReadonlySet<string>;
}

export function componentText(component: Component): ComponentText {
  return { text: JSON.stringify(component), references: referencesIn(component) };
}

export const SECURITY_SCHEME = {
  type: 'apiKey',
  description: 'A bearer token.',
  name: 'authorization',
  in: 'header',
};

/** Builds the text of an OpenAPI v3 document: the paths, and every component that they need. */
export function documentV3({ info, paths, component, security }: DocumentParts): string {
  const items = paths
    .toSorted((a, b) => compare(a.path, b.path))
    .map(({ path, operations }) => `${JSON.stringify(path)}:${pathItem(operations)}`);
  const schemas = neededComponents(paths, component).map(([name, { text }]) => `${JSON.stringify(name)}:${text}`);
  const schemes = security ? `"securitySchemes":${JSON.stringify({ BearerToken: SECURITY_SCHEME })}` : '';
  const components = [
    ...(schemas.length > 0 ? [`"schemas":{${schemas.join(',')}}`] : []),
    ...(security ? [schemes] : []),
  ];
  const head = `"openapi":"3.0.0","info":${JSON.stringify(info)}`;
  return `{${head},"paths":{${items.join(',')}},"components":{${components.join(',')}}}`;
}

/** Returns the components that paths refer to, directly or indirectly, by name. */
export function neededComponents<T extends { readonly references: ReadonlySet<string> }>(
  paths: readonly PathOperations[],
  component: (name: string) => T | undefined,
): [string, T][] {
  const found = new Map<string, T>();
  const open = paths.flatMap(({ operations }) => operations.flatMap(componentsOf));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const needed = component(name);
    if (needed === undefined) continue;
    found.set(name, needed);
    append(open, needed.references);
  }
  return [...found].sort(([a], [b]) => compare(a, b));
}

function componentsOf({ body, responses }: OpenApiOperation): string[] {
  const answers = Object.values(responses).filter((name) => name !== null);
  return body === undefined ? answers : [body.component, ...answers];
}

/**
 * Builds the text of a path from cached pieces. Nearly all of it is parameters and media types that are the same
 * everywhere, and formatting them again would take most of the time of a document.
 */
function pathItem(operations: readonly OpenApiOperation[]): string {
  const common = commonParameters(operations);
  const methods = operations.map((operation) => `"${operation.method}":${formatOperation(operation, common)}`);
  return `{${[...methods, ...parametersText(common)].join(',')}}`;
}

function formatOperation(operation: OpenApiOperation, common: readonly Parameter[]): string {
  const { tag, description, id, parameters, body, consumes, produces, responses, action, gvk } = operation;
  const own = sortedParameters(parameters.filter((parameter) => !common.includes(parameter)));
  const answers = Object.entries(responses).map(
    ([status, component]) =>
      `"${status}":{"description":"${formatResponseText(status)}","content":${formatContent(produces, component)}}`,
  );
  const pieces = [
    `"tags":["${tag}"],"description":${JSON.stringify(description)},"operationId":"${id}"`,
    ...parametersText(own),
    ...(body === undefined ? [] : [`"requestBody":${formatBody(consumes, body)}`]),
    `"responses":{${answers.join(',')},"401":{"description":"Unauthorized"}}`,
    ...(action === undefined ? [] : [`"x-kubernetes-action":"${action}"`]),
    ...(gvk === undefined ? [] : [`"x-kubernetes-group-version-kind":${JSON.stringify(gvk)}`]),
  ];
  return `{${pieces.join(',')}}`;
}

function formatBody(
  consumes: readonly string[],
  { component, required }: NonNullable<OpenApiOperation['body']>,
): string {
  return `{"content":${formatContent(consumes, component)}${required ? ',"required":true' : ''}}`;
}

function formatContent(media: readonly string[], component: string | null): string {
  const schema = JSON.stringify(component === null ? { type: 'string' } : referenceTo(component));
  return `{${media
    .toSorted()
    .map((type) => `"${type}":{"schema":${schema}}`)
    .join(',')}}`;
}

function parametersText(parameters: readonly Parameter[]): string[] {
  return parameters.length === 0 ? [] : [`"parameters":[${parameters.map(formatParameter).join(',')}]`];
}

const written = new WeakMap<Parameter, string>();

function formatParameter(parameter: Parameter): string {
  let text = written.get(parameter);
  if (text === undefined) {
    const { name, in: where, type, description } = parameter;
    const required = where === 'path' ? { required: true } : {};
    text = JSON.stringify({ name, in: where, description, ...required, schema: { type, uniqueItems: true } });
    written.set(parameter, text);
  }
  return text;
}
