import { ConfigError } from '#platform/base/errors';
import type { ClientCertificate } from './cluster-access.ts';
import { type ClusterSettings, reasonOf } from './cluster-settings.ts';
import type { HostEnvironment } from './host-environment.ts';

/** Credential plugin as described in a kubeconfig. */
export interface ExecSettings {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  readonly installHint?: string;
}

/** Credentials that a plugin has returned. */
export interface PluginCredentials {
  readonly token?: string;
  readonly certificate?: ClientCertificate;
  /** Expiry in milliseconds since 1970. If absent, they are used until the server rejects them. */
  readonly expires?: number;
}

/** Credential plugin. Its credentials are cached until they expire. */
export class ExecPlugin {
  readonly #settings: ExecSettings;
  readonly #cluster: ClusterSettings;
  readonly #environment: HostEnvironment;
  #current: Promise<PluginCredentials> | undefined;

  constructor(settings: ExecSettings, cluster: ClusterSettings, environment: HostEnvironment) {
    this.#settings = settings;
    this.#cluster = cluster;
    this.#environment = environment;
  }

  /** Returns the current credentials. The program runs once for all concurrent callers. */
  async credentials(): Promise<PluginCredentials> {
    const before = this.#current;
    if (before) {
      const credentials = await before;
      if (credentials.expires === undefined || this.#environment.clock.now() < credentials.expires) return credentials;
      // The first caller to resume starts the next run, and the others join it.
      if (this.#current === before) this.forget();
    }
    this.#current ??= this.#run();
    try {
      return await this.#current;
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  /** Makes the next call run the program again. */
  forget(): void {
    this.#current = undefined;
  }

  async #run(): Promise<PluginCredentials> {
    const { command, args, env, interactiveMode } = this.#settings;
    const { terminal, run } = this.#environment;
    if (interactiveMode === 'Always' && !terminal) {
      throw this.#failure('requires a terminal for its prompt, and there is none');
    }
    const interactive = interactiveMode !== 'Never' && terminal;
    const inherited = Object.entries(this.#environment.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const info = JSON.stringify(execInfo(this.#settings, this.#cluster, interactive));
    const own = env.map(({ name, value }) => [name, value] as const);
    const all = Object.fromEntries([...inherited, ...own, ['KUBERNETES_EXEC_INFO', info]]);
    let result: Awaited<ReturnType<typeof run>>;
    try {
      result = await run({ command, args, env: all, interactive });
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      throw this.#failure(missing ? 'was not found' : `could not be started${reasonOf(error)}`);
    }
    if (result.code !== 0) throw this.#failure(`failed with exit code ${result.code}`);
    const found = readExecCredential(result.stdout, this.#settings.apiVersion);
    if (typeof found === 'string') throw this.#failure(found);
    return found;
  }

  /** Creates an error that names the program but not its arguments or output, which may hold secrets. */
  #failure(problem: string): ConfigError {
    const { command, installHint } = this.#settings;
    return new ConfigError(`exec: ${command} ${problem}`, installHint === undefined ? {} : { hint: installHint });
  }
}

/** Builds the information that a plugin gets through its environment. */
function execInfo(
  { apiVersion, provideClusterInfo }: ExecSettings,
  cluster: ClusterSettings,
  interactive: boolean,
): object {
  const { server, serverName, insecure, ca, proxyUrl, pluginConfig } = cluster;
  const info = {
    server,
    ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
    ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
    config: pluginConfig ?? null,
  };
  return {
    kind: 'ExecCredential',
    apiVersion,
    spec: { ...(provideClusterInfo ? { cluster: info } : {}), interactive },
  };
}

/** Parses the output of a plugin, or returns a text that describes its problem. */
export function readExecCredential(stdout: string, apiVersion: string): PluginCredentials | string {
  let response: unknown;
  try {
    response = JSON.parse(stdout);
  } catch {
    return 'printed something that is not JSON';
  }
  const { kind, apiVersion: version, status } = (response ?? {}) as Record<string, unknown>;
  if (kind !== 'ExecCredential') return 'did not print an ExecCredential';
  if (version !== apiVersion) return `printed another version than ${apiVersion}`;
  if (typeof status !== 'object' || status === null) return 'printed an ExecCredential without a status';
  const {
    token,
    clientCertificateData: cert,
    clientKeyData: key,
    expirationTimestamp,
  } = status as Record<string, unknown>;
  if ((token ?? '') === '' && (cert ?? '') === '' && (key ?? '') === '')
    return 'returned neither a token nor a certificate';
  for (const value of [token, cert, key]) {
    if (value !== undefined && value !== null && typeof value !== 'string')
      return 'returned credentials that are not strings';
  }
  if (Boolean(cert) !== Boolean(key)) return 'returned a certificate without its key, or a key without its certificate';
  const expires = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expires)) return 'returned an invalid expirationTimestamp';
  return {
    ...(token ? { token: token as string } : {}),
    ...(cert && key ? { certificate: { cert: cert as string, key: key as string } } : {}),
    ...(expires === undefined ? {} : { expires }),
  };
}
