import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import type { RequestUser } from '#platform/kube/api-extension';
import type { Credentials } from '../access/pki.ts';
import { connectionProblem } from '../admission/webhooks/connection-problem.ts';
import type { Destination } from '../webhook-post.ts';

/** Request to forward. The user was authenticated and authorized here. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly user: RequestUser;
  readonly signal: AbortSignal;
}

/** API server of another process, which trusts the user that is named in headers because of our certificate. */
export class RemoteServer {
  readonly #destination: Destination;
  readonly #agent: Agent;

  constructor(destination: Destination, credentials: Credentials, isVerified: boolean) {
    const { serverName, ca } = destination;
    this.#destination = destination;
    this.#agent = new Agent({
      connect: {
        cert: credentials.certPem,
        key: credentials.keyPem,
        rejectUnauthorized: isVerified,
        ...(ca === undefined ? {} : { ca }),
        ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
      },
    });
  }

  /** Forwards a request. Fails with an Error in the words of Go's HTTP client. */
  async forward({ method, path, headers, body, user, signal }: ForwardedRequest): Promise<Dispatcher.ResponseData> {
    const { origin, url } = this.#destination;
    try {
      return await this.#agent.request({
        origin,
        path,
        method,
        headers: { ...headers, ...userHeaders(user), host: new URL(url).host },
        signal,
        ...(body === undefined || body.length === 0 ? {} : { body }),
      });
    } catch (error) {
      throw new Error(connectionProblem(error, this.#destination), { cause: error });
    }
  }

  close(): void {
    void this.#agent.destroy();
  }
}

/** Names a user as a front proxy does. */
export function userHeaders({ name, uid, groups, extra = {} }: RequestUser): Record<string, string | string[]> {
  return {
    'x-remote-user': name,
    ...(uid === undefined || uid === '' ? {} : { 'x-remote-uid': uid }),
    'x-remote-group': [...groups],
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `x-remote-extra-${encodeURIComponent(key).toLowerCase()}`,
        [...values],
      ]),
    ),
  };
}
