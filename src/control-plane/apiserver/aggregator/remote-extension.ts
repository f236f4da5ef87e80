import type { ApiExtension, ExtensionAnswer, ExtensionRequest } from '#platform/kube/api-extension';
import { KubeError } from '#platform/kube/kube-error';
import type { Availability, RemoteApiService } from './availability.ts';
import type { RemoteServer } from './remote-server.ts';

/** Headers of a request that concern the other server. Credentials are for this one only. */
const FORWARDED = ['accept', 'content-type', 'user-agent', 'accept-language'];
const RETURNED = ['retry-after', 'warning', 'audit-id', 'location'];

/** Returns the extension that forwards the requests of a group version to another server. */
export function remoteExtension(
  { spec }: RemoteApiService,
  found: Availability,
  server: RemoteServer | undefined,
): ApiExtension {
  const { group, version, groupPriorityMinimum = 1000, versionPriority = 15 } = spec;
  return {
    group,
    version,
    resources: found.isAvailable ? found.resources : [],
    priority: { group: groupPriorityMinimum, version: versionPriority },
    isForwarded: true,
    async handle(request) {
      if (server === undefined || !found.isAvailable) {
        return { status: 503, type: 'text/plain; charset=utf-8', text: 'service unavailable\n' };
      }
      return await forwardRequest(request, server);
    },
  };
}

async function forwardRequest(request: ExtensionRequest, server: RemoteServer): Promise<ExtensionAnswer> {
  const { method, path, user, signal } = request;
  const query = request.query.toString();
  const headers = Object.fromEntries(
    FORWARDED.flatMap((name) => {
      const value = request.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  try {
    const response = await server.forward({
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers,
      body: await request.body(),
      user,
      signal,
    });
    const type = String(response.headers['content-type'] ?? 'application/octet-stream');
    const returned = RETURNED.flatMap((name) => {
      const value = response.headers[name];
      return value === undefined ? [] : [[name, String(value)] as const];
    });
    return { status: response.statusCode, type, pieces: response.body, headers: Object.fromEntries(returned) };
  } catch (error) {
    throw new KubeError(503, 'ServiceUnavailable', `error trying to reach service: ${(error as Error).message}`);
  }
}
