import { type ClusterAccess, impersonationHeaders } from './cluster-access.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import { ExecPlugin } from './exec-plugin.ts';
import type { HostEnvironment } from './host-environment.ts';
import { TokenFile } from './token-file.ts';
import type { UserSettings } from './user-settings.ts';

/** Combines the settings of a cluster and a user into what an HTTP client needs. */
export function clusterAccess(
  cluster: ClusterSettings,
  user: UserSettings,
  namespace: string,
  environment: HostEnvironment,
): ClusterAccess {
  const { server, ca, serverName, insecure, proxyUrl } = cluster;
  const { certificate, impersonate } = user;
  const plugin = user.exec && new ExecPlugin(user.exec, cluster, environment);
  const tokenFile = user.tokenFile === undefined ? undefined : new TokenFile(user.tokenFile, environment, user.token);
  const authorization = async (): Promise<string | undefined> => {
    if (user.basic) {
      const { username, password } = user.basic;
      return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    const token = (await tokenFile?.token()) ?? user.token ?? (await plugin?.credentials())?.token;
    return token === undefined ? undefined : `Bearer ${token}`;
  };
  return {
    server,
    insecure,
    namespace,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(impersonate ? { impersonate } : {}),
    ...certificate,
    async headers() {
      const value = await authorization();
      return {
        ...(value === undefined ? {} : { Authorization: value }),
        ...(impersonate ? impersonationHeaders(impersonate) : {}),
      };
    },
    async certificate() {
      return certificate ?? (await plugin?.credentials())?.certificate;
    },
    refused() {
      plugin?.forget();
      tokenFile?.forget();
      return plugin !== undefined || tokenFile !== undefined;
    },
  };
}
