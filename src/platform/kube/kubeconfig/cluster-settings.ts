import type { Fields } from './fields.ts';
import type { HostEnvironment } from './host-environment.ts';

/** Settings of a kubeconfig cluster. */
export interface ClusterSettings {
  readonly server: string;
  readonly ca?: string;
  readonly serverName?: string;
  readonly insecure: boolean;
  readonly proxyUrl?: string;
  /** Additional configuration of the cluster for plugins. */
  readonly pluginConfig?: unknown;
}

export interface ClusterOverrides {
  readonly server?: string;
  readonly insecure?: boolean;
}

const PROXY_SCHEMES = new Set(['http:', 'https:', 'socks5:']);
const PLUGIN_EXTENSION = 'client.authentication.k8s.io/exec';

/** Reads a cluster and records all its problems. */
export async function readCluster(
  fields: Fields,
  overrides: ClusterOverrides,
  { readFile }: Pick<HostEnvironment, 'readFile'>,
): Promise<ClusterSettings> {
  const server = overrides.server ?? fields.string('server');
  if (server === undefined) {
    if (!fields.has('server')) fields.problem('server', 'is missing');
  } else if (!isServer(server)) fields.problem('server', 'must be an http or https URL');
  const serverName = fields.string('tls-server-name');
  const insecure = overrides.insecure ?? fields.boolean('insecure-skip-tls-verify');
  const ca = insecure && overrides.insecure ? undefined : await readPem(fields, 'certificate-authority', readFile);
  if (insecure && ca !== undefined) {
    fields.problem('insecure-skip-tls-verify', 'cannot be set together with a certificate-authority');
  }
  const proxyUrl = fields.string('proxy-url');
  if (proxyUrl !== undefined && !PROXY_SCHEMES.has(URL.parse(proxyUrl)?.protocol ?? '')) {
    fields.problem('proxy-url', 'must be an http, https or socks5 URL');
  }
  const pluginConfig = pluginConfigOf(fields);
  return {
    server: server?.replace(/\/+$/, '') ?? '',
    insecure,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(pluginConfig === undefined ? {} : { pluginConfig }),
  };
}

/** Reads PEM from the field `<name>-data` or from the file that the field `<name>` names. */
export async function readPem(
  fields: Fields,
  name: string,
  readFile: HostEnvironment['readFile'],
): Promise<string | undefined> {
  if (fields.has(`${name}-data`) && fields.has(name)) {
    fields.problem(name, `cannot be set together with ${name}-data`);
    return undefined;
  }
  const data = fields.decoded(`${name}-data`);
  const path = fields.path(name);
  if (data !== undefined || path === undefined) return data;
  try {
    return await readFile(path);
  } catch (error) {
    fields.problem(name, `cannot read ${path}${reasonOf(error)}`);
    return undefined;
  }
}

/** Returns the error code of the system in parentheses. */
export function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? ` (${code})` : '';
}

function isServer(server: string): boolean {
  const protocol = URL.parse(server)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}

function pluginConfigOf(fields: Fields): unknown {
  for (const item of fields.list('extensions')) {
    const { name, extension } = (item ?? {}) as { name?: unknown; extension?: unknown };
    if (name === PLUGIN_EXTENSION) return extension;
  }
  return undefined;
}
