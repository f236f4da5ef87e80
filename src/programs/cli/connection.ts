import { type Command, Option } from 'commander';
import type { Client } from '#platform/kube/client';
import type { AccessFlags } from '#platform/kube/kubeconfig/load';
import type { WebSocketConnection } from '#platform/kube/web-socket';

/** Cluster that commands connect to. */
export interface Connection {
  readonly client: Client;
  /** Namespace of the context. Commands use it unless a flag names another. */
  readonly namespace: string;
  /** Opens a WebSocket to a path of the API server. Throws a KubeError if the server rejects it. */
  webSocket(path: string, protocols: readonly string[]): Promise<WebSocketConnection>;
  /** Returns the body of a response as it arrives. Throws a KubeError if the server rejects the request. */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

/** Finds the cluster as kubectl does: flags, then KUBECONFIG, then the user's kubeconfig, then the pod. */
export type Connect = (flags: AccessFlags) => Promise<Connection>;

/** Returns the names of the entries in the kubeconfig. */
export type KubeconfigNames = (flags: AccessFlags, what: 'context' | 'cluster' | 'user') => Promise<readonly string[]>;

interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly server?: string;
  readonly token?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly as?: string;
  readonly asGroup?: string[];
  readonly namespace?: string;
}

/** Adds the flags by which kubectl selects a cluster. */
export function withConnectionFlags<C extends Command>(command: C): C {
  return command
    .option('--kubeconfig <file>', 'kubeconfig to use (default: KUBECONFIG)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--cluster <name>', 'cluster of the kubeconfig')
    .option('--user <name>', 'user of the kubeconfig')
    .option('-s, --server <url>', 'address of the API server')
    .option('--token <token>', 'bearer token')
    .option('--insecure-skip-tls-verify', 'do not verify the certificate of the server')
    .option('--as <user>', 'user to impersonate')
    .addOption(new Option('--as-group <group...>', 'groups to impersonate'))
    .option('-n, --namespace <name>', 'namespace (default: that of the context)');
}

/** Runs a function against the cluster that the flags of a command select, and always closes the connection. */
export async function withConnection<T>(
  connect: Connect,
  command: Command,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { asGroup, insecureSkipTlsVerify, ...flags } = command.optsWithGlobals<ConnectionFlags>();
  const named = ['kubeconfig', 'context', 'cluster', 'user', 'server', 'token', 'as', 'namespace'] as const;
  const given = Object.fromEntries(named.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])));
  const connection = await connect({
    ...given,
    ...(insecureSkipTlsVerify === undefined ? {} : { insecureSkipTlsVerify }),
    ...(asGroup === undefined ? {} : { asGroups: asGroup }),
  });
  try {
    return await run(connection);
  } finally {
    await connection.close();
  }
}
