import { dirname, resolve } from 'node:path';
import type { ClientCertificate, Impersonate } from './cluster-access.ts';
import { readPem } from './cluster-settings.ts';
import type { ExecSettings } from './exec-plugin.ts';
import type { Fields } from './fields.ts';
import type { HostEnvironment } from './host-environment.ts';

/** Settings of a kubeconfig user: at most one of token, password and plugin, besides a certificate. */
export interface UserSettings {
  readonly certificate?: ClientCertificate;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecSettings;
  readonly impersonate?: Impersonate;
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;

/** Reads a user and records all its problems. */
export async function readUser(fields: Fields, { readFile }: Pick<HostEnvironment, 'readFile'>): Promise<UserSettings> {
  const certificate = await readCertificate(fields, readFile);
  const token = fields.string('token');
  const tokenFile = fields.path('tokenFile');
  const username = fields.string('username');
  const execFields = fields.fields('exec');
  const exec = execFields && readExec(execFields);
  if (fields.has('auth-provider')) fields.problem('auth-provider', 'is not supported; use exec instead');
  const methods = [
    ...(token !== undefined || tokenFile !== undefined ? ['token'] : []),
    ...(username === undefined ? [] : ['username']),
    ...(execFields ? ['exec'] : []),
  ];
  if (methods.length > 1) fields.problem('', `only one of ${methods.join(', ')} can be set`);
  const impersonate = readImpersonate(fields);
  return {
    ...(certificate ? { certificate } : {}),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { basic: { username, password: fields.string('password') ?? '' } }),
    ...(exec ? { exec } : {}),
    ...(impersonate ? { impersonate } : {}),
  };
}

async function readCertificate(
  fields: Fields,
  readFile: HostEnvironment['readFile'],
): Promise<ClientCertificate | undefined> {
  const cert = await readPem(fields, 'client-certificate', readFile);
  const key = await readPem(fields, 'client-key', readFile);
  const has = (name: string): boolean => fields.has(name) || fields.has(`${name}-data`);
  if (has('client-certificate') && !has('client-key'))
    fields.problem('client-key', 'is missing, required by client-certificate');
  if (!has('client-certificate') && has('client-key'))
    fields.problem('client-certificate', 'is missing, required by client-key');
  return cert !== undefined && key !== undefined ? { cert, key } : undefined;
}

function readExec(fields: Fields): ExecSettings | undefined {
  const apiVersion = fields.string('apiVersion');
  const command = fields.string('command');
  const installHint = fields.string('installHint');
  const mode = fields.string('interactiveMode') ?? (apiVersion?.endsWith('/v1beta1') ? 'IfAvailable' : undefined);
  const interactiveMode = INTERACTIVE_MODES.find((known) => known === mode);
  if (apiVersion === undefined) fields.problem('apiVersion', 'is missing');
  else if (!EXEC_VERSIONS.includes(apiVersion)) fields.problem('apiVersion', `must be ${EXEC_VERSIONS.join(' or ')}`);
  if (command === undefined) fields.problem('command', 'is missing');
  if (!interactiveMode)
    fields.problem(
      'interactiveMode',
      `${mode === undefined ? 'is missing, it ' : ''}must be ${INTERACTIVE_MODES.join(', ')}`,
    );
  const env = fields.list('env').flatMap((item, index) => {
    const { name, value = '' } = (item ?? {}) as { name?: unknown; value?: unknown };
    if (typeof name === 'string' && name !== '' && typeof value === 'string') return [{ name, value }];
    fields.problem(`env[${index}]`, 'must have a name and a value that are strings');
    return [];
  });
  const args = fields.strings('args');
  const provideClusterInfo = fields.boolean('provideClusterInfo');
  if (apiVersion === undefined || command === undefined || !interactiveMode) return undefined;
  return {
    apiVersion,
    // Only a name without a directory is searched along the PATH.
    command: /^[^/\\]+$/.test(command) ? command : resolve(dirname(fields.file), command),
    args,
    env,
    provideClusterInfo,
    interactiveMode,
    ...(installHint === undefined ? {} : { installHint }),
  };
}

function readImpersonate(fields: Fields): Impersonate | undefined {
  const user = fields.string('as');
  const uid = fields.string('as-uid');
  const groups = fields.strings('as-groups');
  const extraFields = fields.fields('as-user-extra');
  const extra = Object.fromEntries((extraFields?.keys() ?? []).map((key) => [key, extraFields?.strings(key) ?? []]));
  if (user === undefined) {
    const others = ['as-uid', 'as-groups', 'as-user-extra'].filter((field) => fields.has(field));
    if (others.length > 0 && !fields.has('as')) fields.problem('as', `is missing, required by ${others.join(' and ')}`);
    return undefined;
  }
  return { user, ...(uid === undefined ? {} : { uid }), groups, extra };
}
