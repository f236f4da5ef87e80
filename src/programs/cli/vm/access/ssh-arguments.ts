/** How ssh reaches a guest: through the port-forward of this program, without a port that others could use. */
export interface SshConnection {
  /** Words that call this program, such as the path of Node.js and of the script. */
  readonly program: readonly string[];
  /** Flags that select the cluster, as the user gave them. */
  readonly connection: readonly string[];
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  readonly identityFile?: string;
  readonly knownHosts?: string;
}

/**
 * Returns the options of ssh and scp for a guest. Each guest has its own key, which is remembered under the name of the
 * VM, so that another guest that gets its address is noticed.
 */
export function sshOptions(connection: SshConnection): string[] {
  const { program, connection: flags, name, namespace, port, identityFile, knownHosts } = connection;
  const proxy = [...program, 'vm', 'port-forward', ...flags, '-n', namespace, '--stdio', '--', name, String(port)];
  return [
    ...['-o', `ProxyCommand=${proxy.map(quote).join(' ')}`],
    ...['-o', `HostKeyAlias=${hostOf(connection)}`],
    // The API server has authenticated the way to the guest, so that its first key is trusted. Another one is not.
    ...['-o', 'StrictHostKeyChecking=accept-new'],
    ...(knownHosts === undefined ? [] : ['-o', `UserKnownHostsFile=${knownHosts}`]),
    ...(identityFile === undefined ? [] : ['-i', identityFile]),
  ];
}

/** Returns the name by which ssh knows a guest. */
export function hostOf({ name, namespace }: Pick<SshConnection, 'name' | 'namespace'>): string {
  return `vm.${name}.${namespace}`;
}

/** Quotes a word for the shell that ssh runs, and doubles the percent signs that ssh replaces. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}

/** Replaces the VM in a path of scp, `VM:PATH` or `USER@VM:PATH`. Other paths are local. */
export function scpPath(path: string): { readonly vm?: string; readonly user?: string; readonly path: string } {
  const [, user, vm, rest = ''] = /^(?:([^@:/]+)@)?([a-z0-9][a-z0-9.-]*):(.*)$/s.exec(path) ?? [];
  if (vm === undefined) return { path };
  return { vm, path: rest, ...(user === undefined ? {} : { user }) };
}
