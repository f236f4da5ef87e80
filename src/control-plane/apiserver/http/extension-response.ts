import { type ApiExtension, type ExtensionAnswer, type ExtensionRequest, UPGRADED } from '#platform/kube/api-extension';
import { KubeError } from '#platform/kube/kube-error';
import { ApiError, methodNotAllowed, noSuchResource } from '../api-error.ts';
import type { ResourcePath } from '../request-path.ts';
import type { ApiRequest } from './api-request.ts';
import { type HttpResponse, JSON_TYPE, json } from './response.ts';

/** Lets an extension handle an authorized request. */
export async function extensionResponse(
  extension: ApiExtension,
  request: ApiRequest,
  path: ResourcePath,
  verb: string,
): Promise<HttpResponse> {
  if (extension.isForwarded !== true) checkServed(extension, path, verb);
  try {
    return answerOf(await extension.handle(requestOf(request, path, verb)));
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new ApiError(error.code, error.reason, error.message, error.details, error);
  }
}

/** Rejects a request for a resource or verb that the extension does not have. */
function checkServed(extension: ApiExtension, path: ResourcePath, verb: string): void {
  const { plural, subresource, namespace, name } = path;
  const desired = subresource === '' ? plural : `${plural}/${subresource}`;
  const resource = extension.resources.find((each) => each.name === desired);
  if (resource === undefined) throw noSuchResource();
  if (!resource.verbs.includes(verb)) throw methodNotAllowed();
  // A collection can be requested across all namespaces, a single object cannot.
  if (resource.namespaced ? namespace === '' && name !== '' : namespace !== '') throw noSuchResource();
}

function requestOf(request: ApiRequest, { plural, ...place }: ResourcePath, verb: string): ExtensionRequest {
  const { namespace, name, subresource, rest } = place;
  const { method, path, query, user, upgrade } = request;
  return {
    method,
    verb,
    path,
    resource: plural,
    subresource,
    rest,
    namespace,
    name,
    query,
    header: (header) => request.header(header),
    user,
    body: () => request.body(),
    get signal() {
      return request.signal;
    },
    ...(upgrade === undefined ? {} : { upgrade }),
  };
}

function answerOf(response: ExtensionAnswer): HttpResponse {
  if (response === UPGRADED) return { status: 101, type: '', upgraded: true };
  if ('pieces' in response) return response;
  if ('text' in response) return { status: response.status, type: response.type, body: response.text };
  const { status, body, headers = {} } = response;
  if (body === undefined) return { status, type: JSON_TYPE, bytes: new Uint8Array(0), headers };
  return { ...json(status, JSON.stringify(body)), headers };
}
