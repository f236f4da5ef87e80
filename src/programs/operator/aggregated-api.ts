import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ApiError,
  badRequest,
  forbidden,
  methodNotAllowed,
  noSuchResource,
  unauthorized,
} from '#control-plane/apiserver/api-error';
import { extensionEntries } from '#control-plane/apiserver/http/extension-discovery';
import { parsePath, type ResourcePath } from '#control-plane/apiserver/request-path';
import { type ApiExtension, type ExtensionAnswer, type ExtensionRequest, UPGRADED } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { readBody } from '#platform/runtime/http/body';
import type { Route } from '#platform/runtime/http/route';
import { type FrontProxy, type ProxiedUser, proxiedUser } from './front-proxy.ts';
import { mayDo } from './subject-access.ts';

export interface AggregatedApiDeps {
  /** Client for asking the API server what a user may do. */
  readonly client: Client;
  readonly proxy: () => FrontProxy | undefined;
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  PUT: 'update',
  POST: 'create',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Serves extensions to the API server of a cluster through an APIService. Discovery is open to everybody. */
export function aggregatedApi(extensions: readonly ApiExtension[], parts: AggregatedApiDeps): Route[] {
  const groups = new Set(extensions.map(({ group }) => group));
  return [
    ...[...groups].map((group) => staticRoute(`/apis/${group}`, groupBody(group, extensions))),
    ...extensions.flatMap((extension) => {
      const path = `/apis/${extension.group}/${extension.version}`;
      return [staticRoute(path, listBody(extension)), resources(path, extension, parts)];
    }),
  ];
}

function staticRoute(path: string, body: object): Route {
  return { path, handle: (_request, response) => json(response, 200, body) };
}

function groupBody(group: string, extensions: readonly ApiExtension[]): object {
  const versions = extensions
    .filter((each) => each.group === group)
    .map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { kind: 'APIGroup', apiVersion: 'v1', name: group, versions, preferredVersion: versions[0] };
}

function listBody(extension: ApiExtension): object {
  const { group, version } = extension;
  const entries = extensionEntries(extension);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}`, resources: entries };
}

function resources(path: string, extension: ApiExtension, parts: AggregatedApiDeps): Route {
  return {
    path: `${path}/`,
    methods: Object.keys(VERBS),
    // The route checks the certificate of the API server, and the user that it forwards.
    access: 'decided by route',
    async handle(request, response, signal) {
      try {
        send(response, await extensionResponse(extension, request, signal, parts));
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === undefined) throw error;
        json(response, refusal.code, refusal.status);
      }
    },
  };
}

async function extensionResponse(
  extension: ApiExtension,
  request: IncomingMessage,
  signal: AbortSignal,
  { client, proxy }: AggregatedApiDeps,
): Promise<ExtensionAnswer> {
  const user = proxiedUser(request, proxy());
  if (user === undefined) throw unauthorized();
  const url = new URL(request.url ?? '/', 'http://localhost');
  const path = pathOf(url);
  if (path.kind !== 'resource') throw noSuchResource();
  const method = request.method ?? 'GET';
  const verb = VERBS[method] ?? method.toLowerCase();
  if (!(await mayDo(client, subjectOf(user), attributesOf(path, verb), signal))) throw forbiddenError(user, path, verb);
  const named = path.subresource === '' ? path.plural : `${path.plural}/${path.subresource}`;
  const resource = extension.resources.find(({ name }) => name === named);
  if (resource === undefined || path.name === '' || resource.namespaced !== (path.namespace !== '')) {
    throw noSuchResource();
  }
  if (!resource.verbs.includes(verb)) throw methodNotAllowed();
  return await extension.handle(extensionRequest(request, url, path, { method, verb, user, signal }));
}

function pathOf({ pathname }: URL) {
  try {
    return parsePath(pathname);
  } catch {
    throw badRequest(`${pathname} is not a valid path`);
  }
}

function extensionRequest(
  request: IncomingMessage,
  url: URL,
  { plural, subresource, rest, namespace, name }: ResourcePath,
  requested: Pick<ExtensionRequest, 'method' | 'verb' | 'user' | 'signal'>,
): ExtensionRequest {
  return {
    ...requested,
    path: url.pathname,
    resource: plural,
    subresource,
    rest,
    namespace,
    name,
    query: url.searchParams,
    header: (header) => request.headersDistinct[header]?.join(', '),
    body: () => readBody(request),
  };
}

const subjectOf = ({ name: user, groups, extra }: ProxiedUser) => ({ user, groups, extra });

const attributesOf = (
  { group, version, plural: resource, subresource, namespace, name }: ResourcePath,
  verb: string,
) => ({ group, version, resource, subresource, namespace, name, verb });

function forbiddenError({ name }: ProxiedUser, path: ResourcePath, verb: string): ApiError {
  const { plural, subresource, group, namespace } = path;
  const resource = `${plural}${subresource === '' ? '' : `/${subresource}`}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `User "${name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  return forbidden({ group, plural }, path.name, why);
}

function refusalOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof KubeError)) return undefined;
  return new ApiError(error.code, error.reason, error.message, error.details, error);
}

function send(response: ServerResponse, answer: ExtensionAnswer): void {
  if (answer === UPGRADED) return;
  if ('pieces' in answer) throw new Error('streaming responses are not supported yet');
  if ('text' in answer) {
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
    return;
  }
  const { status, body, headers = {} } = answer;
  if (body === undefined) response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end();
  else json(response, status, body, headers);
}

function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
}
