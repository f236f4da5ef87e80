import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPki } from '#control-plane/apiserver/access/pki';
import { realClock } from '#platform/base/clock';
import { AttackedServer } from '../attacked-server.ts';
import type { ClientCredentials, RawAnswer } from '../http1-connection.ts';
import { Http2Connection } from '../http2-connection.ts';

/** A server that the fuzzer sends requests to. */
export interface FuzzTarget {
  readonly name: string;
  readonly port: number;
  /** Issues a certificate for a user. */
  certificate(user: string, groups: readonly string[]): Required<ClientCredentials>;
  /** Sends a request as a member of system:masters. A PATCH is a merge patch. */
  admin(method: string, path: string, body?: object, accept?: string): Promise<RawAnswer>;
  /** Resolves when writes of roles and bindings are effective. */
  settle(): Promise<void>;
  /** Returns faults that the server logged since the last call. */
  faults(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts our API server in its own process, with its objects in memory. */
export async function startVimanaTarget(): Promise<FuzzTarget> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vimana-fuzz-'));
  const server = await AttackedServer.start(dataDir);
  const target = targetOn({ name: 'vimana apiserver', port: server.port, pkiFolder: join(dataDir, 'pki') });
  return {
    ...target,
    // Roles are effective as soon as the write is acknowledged.
    settle: () => Promise.resolve(),
    faults: async () => (await server.health()).faults,
    async stop() {
      target.close();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

interface TargetPlace {
  readonly name: string;
  readonly port: number;
  readonly pkiFolder: string;
}

/** Parts of all servers that trust the authority of a directory. */
export function targetOn({ name, port, pkiFolder }: TargetPlace) {
  const pki = openPki({ directory: pkiFolder, clock: realClock });
  const certificate: FuzzTarget['certificate'] = (user, groups) => {
    const { certPem: cert, keyPem: key } = pki.clientCertificate({ user, groups });
    return { cert, key };
  };
  const credentials = certificate('fuzz-admin', ['system:masters']);
  let connection = new Http2Connection(port, credentials);
  const admin: FuzzTarget['admin'] = async (method, path, body, accept = 'application/json') => {
    if (connection.closed) connection = new Http2Connection(port, credentials);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = [['accept', accept] as const, ['content-type', type] as const];
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const answer = await connection.ask({ method, target: path, headers, body: bytes });
    if (answer === undefined) throw new Error(`${method} ${path}: the connection was closed`);
    return answer;
  };
  return { name, port, certificate, admin, close: () => connection.close() };
}
