import { type Component, referencesIn, referenceTo } from './component.ts';
import {
  commonParameters,
  compare,
  type Operation,
  type PathOperations,
  responseText,
  sortedParameters,
} from './operation.ts';
import type { Parameter } from './parameter.ts';

/** What a document is made from. */
export interface DocumentParts {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: readonly PathOperations[];
  /** The text of a component and what it refers to; undefined where there is none of that name. */
  readonly component: (name: string) => ComponentText | undefined;
  /** How clients prove who they are; custom resources leave it out. */
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

/** The text of an OpenAPI v3 document: the paths, and every component that they need. */
export function documentV3({ info, paths, component, security }: DocumentParts): string {
  const items = paths
    .toSorted((a, b) => compare(a.path, b.path))
    .map(({ path, operations }) => `${JSON.stringify(path)}:${JSON.stringify(pathItem(operations))}`);
  const schemas = neededComponents(paths, component).map(([name, { text }]) => `${JSON.stringify(name)}:${text}`);
  const schemes = security ? `"securitySchemes":${JSON.stringify({ BearerToken: SECURITY_SCHEME })}` : '';
  const components = [
    ...(schemas.length > 0 ? [`"schemas":{${schemas.join(',')}}`] : []),
    ...(security ? [schemes] : []),
  ];
  const head = `"openapi":"3.0.0","info":${JSON.stringify(info)}`;
  return `{${head},"paths":{${items.join(',')}},"components":{${components.join(',')}}}`;
}

/** The components that paths refer to, and those that these refer to, by name. */
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
    open.push(...needed.references);
  }
  return [...found].sort(([a], [b]) => compare(a, b));
}

function componentsOf({ body, responses }: Operation): string[] {
  const answers = Object.values(responses).filter((name) => name !== null);
  return body === undefined ? answers : [body.component, ...answers];
}

function pathItem(operations: readonly Operation[]): object {
  const common = commonParameters(operations);
  return {
    ...Object.fromEntries(operations.map((operation) => [operation.method, operationObject(operation, common)])),
    ...(common.length === 0 ? {} : { parameters: common.map(parameterObject) }),
  };
}

function operationObject(operation: Operation, common: readonly Parameter[]): object {
  const { tag, description, id, parameters, body, consumes, produces, responses, action, gvk } = operation;
  const own = sortedParameters(parameters.filter((parameter) => !common.includes(parameter)));
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(own.length === 0 ? {} : { parameters: own.map(parameterObject) }),
    ...(body === undefined
      ? {}
      : { requestBody: { content: content(consumes, body.component), ...(body.required ? { required: true } : {}) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, component]) => [
          status,
          { description: responseText(status), content: content(produces, component) },
        ]),
      ),
      401: { description: 'Unauthorized' },
    },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(gvk === undefined ? {} : { 'x-kubernetes-group-version-kind': gvk }),
  };
}

function content(media: readonly string[], component: string | null): object {
  const schema = component === null ? { type: 'string' } : referenceTo(component);
  return Object.fromEntries(media.toSorted().map((type) => [type, { schema }]));
}

const written = new WeakMap<Parameter, object>();

function parameterObject(parameter: Parameter): object {
  let object = written.get(parameter);
  if (object === undefined) {
    const { name, in: where, type, description } = parameter;
    object = {
      name,
      in: where,
      description,
      ...(where === 'path' ? { required: true } : {}),
      schema: { type, uniqueItems: true },
    };
    written.set(parameter, object);
  }
  return object;
}
