import { delimiter, join } from 'node:path';
import { ConfigError } from '#platform/base/errors';
import { clusterAccess } from './access.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { readCluster, reasonOf } from './cluster-settings.ts';
import { Fields } from './fields.ts';
import type { HostEnvironment } from './host-environment.ts';
import { inClusterAccess, isInCluster } from './in-cluster.ts';
import { type Kubeconfig, type KubeconfigFile, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';
import { readUser, type UserSettings } from './user-settings.ts';

/** Flags of the command line. Each takes precedence over the files. */
export interface AccessFlags {
  /** Kubeconfig file to use instead of those in the environment. It must exist. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly as?: string;
  readonly asGroups?: readonly string[];
  readonly asUid?: string;
}

/**
 * Finds out how to reach the cluster: from the file of the flag, else from those that KUBECONFIG lists, else from
 * ~/.kube/config, and without any of these from the pod that the process runs in. Throws one ConfigError that lists all
 * problems, without secrets.
 */
export async function loadClusterAccess(flags: AccessFlags, environment: HostEnvironment): Promise<ClusterAccess> {
  const problems: string[] = [];
  const { paths, explicit } = kubeconfigPaths(flags, environment);
  const files = await readFiles(paths, explicit, environment, problems);
  refuse('kubeconfig cannot be used', problems);
  const config = mergeKubeconfigs(files, problems);
  const contextName = flags.context ?? config.currentContext;
  if (contextName === undefined && flags.cluster === undefined && flags.server === undefined) {
    if (!explicit && config.names('context').length === 0 && isInCluster(environment)) {
      return inClusterAccess(environment, flags.namespace);
    }
    throw noContext(config, files, paths);
  }
  return fromConfig(config, contextName, flags, environment, problems);
}

/** Returns the names of the contexts, clusters or users in the same files. */
export async function kubeconfigEntries(
  flags: AccessFlags,
  environment: HostEnvironment,
  what: 'context' | 'cluster' | 'user',
): Promise<string[]> {
  const { paths, explicit } = kubeconfigPaths(flags, environment);
  return mergeKubeconfigs(await readFiles(paths, explicit, environment, []), []).names(what);
}

async function fromConfig(
  config: Kubeconfig,
  contextName: string | undefined,
  flags: AccessFlags,
  environment: HostEnvironment,
  problems: string[],
): Promise<ClusterAccess> {
  const context = contextName === undefined ? undefined : config.entry('context', contextName);
  if (contextName !== undefined && !context) problems.push(missingMessage(config, 'context', contextName));
  const clusterName = flags.cluster ?? context?.string('cluster');
  const userName = flags.user ?? context?.string('user');
  const namespace = flags.namespace ?? context?.string('namespace') ?? 'default';
  if (context && clusterName === undefined && flags.server === undefined && !context.has('cluster')) {
    context.problem('cluster', 'is missing');
  }
  const clusterFields = clusterName === undefined ? undefined : config.entry('cluster', clusterName);
  if (clusterName !== undefined && !clusterFields) problems.push(missingMessage(config, 'cluster', clusterName));
  const userFields = userName === undefined ? undefined : config.entry('user', userName);
  if (userName !== undefined && !userFields) problems.push(missingMessage(config, 'user', userName));
  const ofFlags = new Fields('', 'the command line', {}, problems);
  const overrides = {
    ...(flags.server === undefined ? {} : { server: flags.server }),
    ...(flags.insecureSkipTlsVerify === undefined ? {} : { insecure: flags.insecureSkipTlsVerify }),
  };
  const useFlags = flags.server !== undefined && clusterName === undefined;
  const cluster = clusterFields ?? (useFlags ? ofFlags : undefined);
  const clusterSettings = cluster && (await readCluster(cluster, overrides, environment));
  const user = withFlags(userFields ? await readUser(userFields, environment) : {}, flags, problems);
  refuse(
    contextName === undefined ? 'the cluster cannot be used' : `context "${contextName}" cannot be used`,
    problems,
  );
  if (!clusterSettings) throw new ConfigError(`context "${contextName ?? ''}" has no cluster`);
  return clusterAccess(clusterSettings, user, namespace, environment);
}

/** Applies the flags. A token of the command line replaces all other credentials but a certificate. */
function withFlags(user: UserSettings, flags: AccessFlags, problems: string[]): UserSettings {
  const { certificate, impersonate } = user;
  const base = flags.token === undefined ? user : { token: flags.token, ...(certificate ? { certificate } : {}) };
  if (flags.as === undefined) {
    if (flags.asGroups?.length || flags.asUid)
      problems.push('the command line: as: is missing, required by groups and uid');
    return { ...base, ...(impersonate ? { impersonate } : {}) };
  }
  const uid = flags.asUid === undefined ? {} : { uid: flags.asUid };
  return { ...base, impersonate: { user: flags.as, ...uid, groups: flags.asGroups ?? [], extra: {} } };
}

function kubeconfigPaths(flags: AccessFlags, { env }: HostEnvironment): { paths: string[]; explicit: boolean } {
  if (flags.kubeconfig !== undefined) return { paths: [flags.kubeconfig], explicit: true };
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return { paths: [...new Set(listed)], explicit: false };
  const home = env['HOME'] ?? env['USERPROFILE'];
  return { paths: home ? [join(home, '.kube', 'config')] : [], explicit: false };
}

/** Reads the files. A missing file is skipped, unless it was requested by name. */
async function readFiles(
  paths: readonly string[],
  explicit: boolean,
  { readFile }: HostEnvironment,
  problems: string[],
): Promise<KubeconfigFile[]> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    try {
      files.push(parseKubeconfig(await readFile(path), path, problems));
    } catch (error) {
      const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (explicit || !absent) problems.push(`${path}: cannot be read${reasonOf(error)}`);
    }
  }
  return files;
}

function missingMessage(config: Kubeconfig, kind: 'context' | 'cluster' | 'user', name: string): string {
  const known = config.names(kind).map((other) => `"${other}"`);
  return `${kind} "${name}" does not exist${known.length > 0 ? `; available: ${known.join(', ')}` : ''}`;
}

function noContext(config: Kubeconfig, files: readonly KubeconfigFile[], paths: readonly string[]): ConfigError {
  const looked = paths.length > 0 ? ` (looked at ${paths.join(', ')})` : '';
  if (files.length === 0) {
    return new ConfigError(`no kubeconfig was found${looked}, and this is not a pod`, {
      hint: 'Set a file with --kubeconfig or KUBECONFIG, or a server with --server. Or start a cluster on this host: vimana up',
    });
  }
  const names = config.names('context');
  return new ConfigError(`no current context is set${looked}`, {
    hint: names.length > 0 ? `Choose one with --context: ${names.join(', ')}.` : 'The kubeconfig has no contexts.',
  });
}

function refuse(what: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(`${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}
