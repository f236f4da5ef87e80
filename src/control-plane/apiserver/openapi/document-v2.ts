import { toBase64Url } from '#platform/base/base64';
import { sha256 } from '#platform/base/sha256';
import { type Component, referencesIn } from './component.ts';
import { DELETE_OPTIONS, PATCH } from './component-name.ts';
import { definitionV2 } from './definition-v2.ts';
import { neededComponents, SECURITY_SCHEME } from './document-v3.ts';
import {
  commonParameters,
  compare,
  formatResponseText,
  type OpenApiOperation,
  type PathOperations,
  sortedParameters,
} from './operation.ts';
import type { Parameter } from './parameter.ts';

export interface DocumentV2Parts {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: readonly PathOperations[];
  readonly component: (name: string) => Component | undefined;
}

/** Builds an OpenAPI v2 document, which contains everything that is served. */
export function documentV2({ info, paths, component }: DocumentV2Parts): object {
  const shared = new SharedParameters();
  const items = paths
    .toSorted((a, b) => compare(a.path, b.path))
    .map(({ path, operations }) => [path, pathItem(operations, shared)]);
  const needed = neededComponents(paths, (name) => {
    const found = component(name);
    return found === undefined ? undefined : { found, references: referencesIn(found) };
  });
  return {
    swagger: '2.0',
    info,
    paths: Object.fromEntries(items),
    definitions: Object.fromEntries(needed.map(([name, { found }]) => [name, definitionV2(found)])),
    parameters: shared.all(),
    securityDefinitions: { BearerToken: SECURITY_SCHEME },
    security: [{ BearerToken: [] }],
  };
}

/** Parameters that stay inline, because clients look for them by name and do not follow references. */
const INLINE: ReadonlySet<string> = new Set(['name', 'dryRun', 'fieldValidation']);
const SHARED_BODIES: ReadonlySet<string> = new Set([DELETE_OPTIONS, PATCH]);

/** Parameters that are written once and referred to. */
class SharedParameters {
  readonly #names = new Map<string, { name: string; parameter: object }>();

  refer(name: string, parameter: object): object {
    const text = JSON.stringify(parameter);
    let found = this.#names.get(text);
    if (found === undefined) {
      const hash = toBase64Url(sha256(text)).slice(0, 8);
      found = { name: `${name}-${hash}`, parameter };
      this.#names.set(text, found);
    }
    return { $ref: `#/parameters/${found.name}` };
  }

  all(): object {
    const found = [...this.#names.values()].sort((a, b) => compare(a.name, b.name));
    return Object.fromEntries(found.map(({ name, parameter }) => [name, parameter]));
  }
}

function pathItem(operations: readonly OpenApiOperation[], shared: SharedParameters): object {
  const common = commonParameters(operations);
  return {
    ...Object.fromEntries(
      operations.map((operation) => [operation.method, operationObject(operation, common, shared)]),
    ),
    ...(common.length === 0 ? {} : { parameters: common.map((parameter) => parameterObject(parameter, shared)) }),
  };
}

function operationObject(operation: OpenApiOperation, common: readonly Parameter[], shared: SharedParameters): object {
  const { tag, description, id, parameters, body, consumes, produces, responses, action, gvk } = operation;
  const own = sortedParameters(parameters.filter((parameter) => !common.includes(parameter)));
  const all = [
    ...(body === undefined ? [] : [bodyParameter(body, shared)]),
    ...own.map((parameter) => parameterObject(parameter, shared)),
  ];
  return {
    description,
    consumes,
    produces,
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, component]) => [
          status,
          { description: formatResponseText(status), schema: schemaOf(component) },
        ]),
      ),
      401: { description: 'Unauthorized' },
    },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(gvk === undefined ? {} : { 'x-kubernetes-group-version-kind': gvk }),
  };
}

function bodyParameter(
  { component, required }: NonNullable<OpenApiOperation['body']>,
  shared: SharedParameters,
): object {
  const parameter = { name: 'body', in: 'body', ...(required ? { required } : {}), schema: schemaOf(component) };
  return SHARED_BODIES.has(component) ? shared.refer('body', parameter) : parameter;
}

function schemaOf(component: string | null): object {
  return component === null ? { type: 'string' } : { $ref: `#/definitions/${component}` };
}

function parameterObject({ name, in: where, type, description }: Parameter, shared: SharedParameters): object {
  const required = where === 'path' ? { required: true } : {};
  const parameter = { uniqueItems: true, type, description, name, in: where, ...required };
  return INLINE.has(name) ? parameter : shared.refer(name, parameter);
}
