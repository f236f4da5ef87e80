import { join } from 'node:path';
import { Agent, request } from 'undici';
import { openPki, type Pki } from '#control-plane/apiserver/access/pki';
import type { PolicyRule } from '#control-plane/apiserver/access/rbac-objects';
import { realClock } from '#platform/base/clock';
import { startRealCluster } from '../../cluster/real-cluster.ts';
import { startApiServer, startUp } from '../../e2e/support/vimana.ts';

/** Response of a server. */
export interface AttackResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
}

export interface AttackRequest {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A user of the target, who authenticates with a client certificate. */
export interface AttackUser {
  readonly name: string;
  /** Sends one request. A body that is neither text nor bytes is sent as JSON. */
  send(method: string, path: string, options?: AttackRequest): Promise<AttackResponse>;
  /** Sends one request and throws unless it succeeds. Attacks use it for their preparation. */
  must(method: string, path: string, options?: AttackRequest): Promise<unknown>;
}

/** Permissions of a user. Rules without a namespace apply to the whole cluster. */
export interface Permissions {
  readonly groups?: readonly string[];
  readonly cluster?: readonly PolicyRule[];
  readonly namespaces?: Readonly<Record<string, readonly PolicyRule[]>>;
}

/** An API server under attack: ours or kube-apiserver. */
export interface AttackTarget {
  readonly name: string;
  readonly url: string;
  readonly caPem: string;
  readonly folder: string;
  /** A member of system:masters. */
  readonly admin: AttackUser;
  /** Creates a user with only these permissions. */
  user(name: string, permissions?: Permissions): Promise<AttackUser>;
  /** Issues a certificate of the target's authority, for clients that connect in their own way. */
  certificate(name: string, groups?: readonly string[]): { readonly certPem: string; readonly keyPem: string };
  stop(): Promise<void>;
}

/** Starts a target. The name distinguishes the servers in test titles. */
export interface AttackTargetSource {
  readonly name: string;
  start(): Promise<AttackTarget>;
}

/** Starts `vimana apiserver` as a separate process. */
export const vimanaApiServer = (...flags: string[]): AttackTargetSource => ({
  name: 'vimana apiserver',
  async start() {
    const server = await startApiServer(...flags);
    const { url, folder } = server;
    const pki = openPki({ directory: join(folder, 'data', 'pki'), clock: realClock });
    return attackTarget({ name: 'vimana apiserver', url, folder, pki, stop: () => server.stop() });
  },
});

/** Starts `vimana up` as a separate process. */
export const vimanaUp = (...flags: string[]): AttackTargetSource => ({
  name: 'vimana up',
  async start() {
    const server = await startUp(flags);
    const { url, folder } = server;
    const pki = openPki({ directory: join(folder, 'data', 'pki'), clock: realClock });
    return attackTarget({ name: 'vimana up', url, folder, pki, stop: () => server.stop() });
  },
});

/** Starts kube-apiserver with etcd, and kube-controller-manager on request. */
export const kubeApiServer = (options: { readonly controllerManager?: boolean } = {}): AttackTargetSource => ({
  name: 'kube-apiserver',
  async start() {
    const { controllerManager = false } = options;
    const cluster = await startRealCluster({ scheduler: false, controllerManager });
    const { url, folder } = cluster;
    const pki = openPki({ directory: join(folder, 'pki'), clock: realClock });
    return attackTarget({ name: 'kube-apiserver', url, folder, pki, stop: () => cluster.stop() });
  },
});

interface TargetParts extends Pick<AttackTarget, 'name' | 'url' | 'folder' | 'stop'> {
  readonly pki: Pki;
}

function attackTarget({ name, url, folder, pki, stop }: TargetParts): AttackTarget {
  const agents: Agent[] = [];
  const connect = (user: string, groups: readonly string[]): AttackUser => {
    const { certPem: cert, keyPem: key } = pki.clientCertificate({ user, groups });
    const agent = new Agent({ connect: { ca: pki.caPem, cert, key }, allowH2: false });
    agents.push(agent);
    return attackUser(user, url, agent);
  };
  const admin = connect('attack-admin', ['system:masters']);
  return {
    name,
    url,
    caPem: pki.caPem,
    folder,
    admin,
    async user(user, permissions = {}) {
      await grant(admin, user, permissions);
      return connect(user, permissions.groups ?? []);
    },
    certificate: (user, groups = []) => pki.clientCertificate({ user, groups }),
    async stop() {
      await Promise.all(agents.map((agent) => agent.close()));
      await stop();
    },
  };
}

function attackUser(name: string, url: string, agent: Agent): AttackUser {
  const send: AttackUser['send'] = async (method, path, options = {}) => {
    const { body: content, contentType = 'application/json', headers: extra = {} } = options;
    const { statusCode, headers, body } = await request(new URL(path, url), {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        accept: 'application/json',
        ...(content === undefined ? {} : { 'content-type': contentType }),
        ...extra,
      },
      ...(content === undefined ? {} : { body: bodyOf(content) }),
    });
    const text = await body.text();
    const isJson = String(headers['content-type'] ?? '').includes('json');
    return { status: statusCode, headers, body: isJson ? (JSON.parse(text) as unknown) : text };
  };
  return {
    name,
    send,
    async must(method, path, options) {
      const { status, body } = await send(method, path, options);
      if (status >= 300) throw new Error(`${method} ${path} as ${name}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
  };
}

function bodyOf(content: unknown): string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const RBAC_VERSION = 'rbac.authorization.k8s.io/v1';

async function grant(admin: AttackUser, user: string, { cluster = [], namespaces = {} }: Permissions): Promise<void> {
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }];
  const name = `attack:${user}`;
  const roleRef = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  const create = (path: string, kind: string, content: object) =>
    admin.must('POST', path, { body: { apiVersion: RBAC_VERSION, kind, metadata: { name }, ...content } });
  if (cluster.length > 0) {
    await create(`${RBAC}/clusterroles`, 'ClusterRole', { rules: cluster });
    await create(`${RBAC}/clusterrolebindings`, 'ClusterRoleBinding', { subjects, roleRef: roleRef('ClusterRole') });
  }
  for (const [namespace, rules] of Object.entries(namespaces)) {
    await create(`${RBAC}/namespaces/${namespace}/roles`, 'Role', { rules });
    await create(`${RBAC}/namespaces/${namespace}/rolebindings`, 'RoleBinding', { subjects, roleRef: roleRef('Role') });
  }
}
