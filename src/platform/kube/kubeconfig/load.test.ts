import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '#platform/base/errors';
import { writeKubeconfig } from './format-kubeconfig.ts';
import type { HostEnvironment } from './host-environment.ts';
import { type AccessFlags, loadClusterAccess } from './load.ts';
import { nodeHostEnvironment } from './node-host-environment.ts';

/** Creates a host that holds these files and nothing else. */
function machine(files: Record<string, string>, more: Partial<HostEnvironment> = {}): HostEnvironment {
  return {
    env: { HOME: '/home/jane' },
    clock: { now: () => 0 },
    terminal: false,
    readFile: (path) =>
      path in files
        ? Promise.resolve(files[path] ?? '')
        : Promise.reject(Object.assign(new Error(`no ${path}`), { code: 'ENOENT' })),
    run: () => Promise.reject(new Error('no program may run here')),
    ...more,
  };
}

const b64 = (text: string): string => Buffer.from(text).toString('base64');

const DEV = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: c1
  cluster: {server: "https://one:6443/", certificate-authority-data: ${b64('CA1')}, tls-server-name: api}
- name: c2
  cluster: {server: "https://two", insecure-skip-tls-verify: true, proxy-url: "socks5://proxy:1080"}
users:
- name: jane
  user: {token: secret-jane}
- name: cert
  user: {client-certificate: pki/jane.crt, client-key: /abs/jane.key}
- name: basic
  user: {username: joe, password: secret-pw}
- name: other
  user: {token: t, as: root, as-uid: "7", as-groups: [a, b], as-user-extra: {acme.io/x: [v], "50%": [w]}}
contexts:
- name: dev
  context: {cluster: c1, user: jane, namespace: web}
- name: prod
  context: {cluster: c2, user: cert}
`;

const dev = { '/home/jane/.kube/config': DEV, '/home/jane/.kube/pki/jane.crt': 'CERT', '/abs/jane.key': 'KEY' };
const load = (flags: AccessFlags = {}, environment = machine(dev)) => loadClusterAccess(flags, environment);

describe('the current context', () => {
  test('contains server, certificate authority, namespace and token', async () => {
    const access = await load();
    expect(access).toMatchObject({
      server: 'https://one:6443',
      ca: 'CA1',
      serverName: 'api',
      insecure: false,
      namespace: 'web',
    });
    expect(await access.headers()).toEqual({ Authorization: 'Bearer secret-jane' });
    expect(await access.certificate()).toBeUndefined();
    expect(access.refused()).toBe(false);
  });

  test('may have a certificate in files relative to the kubeconfig', async () => {
    const access = await load({ context: 'prod' });
    expect(access).toMatchObject({
      server: 'https://two',
      insecure: true,
      proxyUrl: 'socks5://proxy:1080',
      namespace: 'default',
    });
    expect(access).toMatchObject({ cert: 'CERT', key: 'KEY' });
    expect(await access.certificate()).toEqual({ cert: 'CERT', key: 'KEY' });
    expect(await access.headers()).toEqual({});
  });

  test('may have a password', async () => {
    expect(await (await load({ user: 'basic' })).headers()).toEqual({ Authorization: `Basic ${b64('joe:secret-pw')}` });
  });

  test('may have impersonation headers', async () => {
    const access = await load({ user: 'other' });
    expect(await access.headers()).toEqual({
      Authorization: 'Bearer t',
      'Impersonate-User': 'root',
      'Impersonate-Uid': '7',
      'Impersonate-Group': ['a', 'b'],
      'Impersonate-Extra-acme.io%2Fx': ['v'],
      'Impersonate-Extra-50%25': ['w'],
    });
    expect(access.impersonate?.user).toBe('root');
  });
});

describe('flags', () => {
  test('take precedence over the file', async () => {
    const flags = { cluster: 'c2', user: 'jane', namespace: 'n', server: 'http://other', token: 'secret-flag' };
    const access = await load(flags);
    expect(access).toMatchObject({ server: 'http://other', insecure: true, namespace: 'n' });
    expect(await access.headers()).toEqual({ Authorization: 'Bearer secret-flag' });
  });

  test('may replace the file', async () => {
    const access = await load({ server: 'https://x', token: 't', insecureSkipTlsVerify: true }, machine({}));
    expect(access).toMatchObject({ server: 'https://x', insecure: true, namespace: 'default' });
  });

  test('may disable the verification of the server, and with it the authority', async () => {
    const access = await load({ insecureSkipTlsVerify: true });
    expect(access.insecure).toBe(true);
    expect(access.ca).toBeUndefined();
  });

  test('may impersonate a user, which requires a name', async () => {
    const access = await load({ as: 'root', asGroups: ['g'] });
    expect(await access.headers()).toMatchObject({ 'Impersonate-User': 'root', 'Impersonate-Group': ['g'] });
    await expect(load({ asGroups: ['g'] })).rejects.toThrow('as: is missing, required by groups and uid');
  });
});

describe('several files', () => {
  const first = `
current-context: a
clusters: [{name: c, cluster: {server: "https://first"}}]
contexts: [{name: a, context: {cluster: c, user: u}}]`;
  const second = `
current-context: b
clusters: [{name: c, cluster: {server: "https://second", insecure-skip-tls-verify: true}}, {name: d, cluster: {server: "https://d"}}]
users: [{name: u, user: {client-certificate: u.crt, client-key: u.key}}]
contexts: [{name: b, context: {cluster: d, user: u}}]`;
  const files = { '/one/config': first, '/two/config': second, '/two/u.crt': 'C', '/two/u.key': 'K' };
  const env = { KUBECONFIG: '/one/config:/gone/config::/two/config:/one/config' };

  test('are merged: the first to define an entry or a current context takes precedence', async () => {
    const access = await load({}, machine(files, { env }));
    expect(access).toMatchObject({ server: 'https://first', insecure: false, cert: 'C', key: 'K' });
    expect(await load({ context: 'b' }, machine(files, { env }))).toMatchObject({ server: 'https://d' });
  });

  test('are ignored if one is given on the command line, which then must exist', async () => {
    expect(await load({ kubeconfig: '/two/config' }, machine(files, { env }))).toMatchObject({ server: 'https://d' });
    await expect(load({ kubeconfig: '/gone/config' }, machine(files, { env }))).rejects.toThrow(
      'kubeconfig cannot be used:\n  /gone/config: cannot be read (ENOENT)',
    );
  });
});

describe('a token file', () => {
  test('is read again after a while, and at once when the server rejects the token', async () => {
    const config =
      'current-context: x\nclusters: [{name: c, cluster: {server: "http://x"}}]\nusers: [{name: u, user: {tokenFile: token}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]';
    const files: Record<string, string> = { '/k/config': config, '/k/token': 'one\n' };
    let now = 0;
    const access = await load({ kubeconfig: '/k/config' }, machine(files, { clock: { now: () => now } }));
    const token = async () => (await access.headers())['Authorization'];
    expect(await token()).toBe('Bearer one');
    files['/k/token'] = 'two';
    now = 59_999;
    expect(await token()).toBe('Bearer one');
    now = 60_000;
    expect(await token()).toBe('Bearer two');
    files['/k/token'] = 'three';
    expect(access.refused()).toBe(true);
    expect(await token()).toBe('Bearer three');
    delete files['/k/token'];
    access.refused();
    expect(await token()).toBe('Bearer three');
  });

  test('that does not exist has its own error', async () => {
    const config =
      'clusters: [{name: c, cluster: {server: "http://x"}}]\nusers: [{name: u, user: {tokenFile: /gone}}, {name: v, user: {tokenFile: /gone, token: old}}]';
    const environment = machine({ '/k/config': config });
    const of = (user: string) => load({ kubeconfig: '/k/config', cluster: 'c', user }, environment);
    await expect((await of('u')).headers()).rejects.toThrow('token file /gone cannot be read (ENOENT)');
    expect(await (await of('v')).headers()).toEqual({ Authorization: 'Bearer old' });
  });
});

describe('in a pod,', () => {
  const directory = '/var/run/secrets/kubernetes.io/serviceaccount';
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  test('the ServiceAccount is used if there is no kubeconfig', async () => {
    const files = {
      [`${directory}/ca.crt`]: 'CA',
      [`${directory}/token`]: 'sa-token',
      [`${directory}/namespace`]: 'web\n',
    };
    const access = await load({}, machine(files, { env }));
    expect(access).toMatchObject({ server: 'https://[fd00::1]:443', ca: 'CA', namespace: 'web', insecure: false });
    expect(await access.headers()).toEqual({ Authorization: 'Bearer sa-token' });
    expect((await load({ namespace: 'n' }, machine(files, { env }))).namespace).toBe('n');
  });

  test('all missing files are named', async () => {
    await expect(load({}, machine({}, { env }))).rejects.toThrow(
      `cannot read ${directory}/ca.crt (ENOENT); cannot read ${directory}/token (ENOENT)`,
    );
  });

  test('a kubeconfig takes precedence', async () => {
    const access = await load({}, machine(dev, { env: { ...env, HOME: '/home/jane' } }));
    expect(access.server).toBe('https://one:6443');
  });
});

describe('an invalid kubeconfig', () => {
  const broken = `
current-context: x
clusters: [{name: c, cluster: {server: "ftp://x", proxy-url: gopher, certificate-authority: ca.crt, insecure-skip-tls-verify: 1}}]
users:
- name: u
  user:
    token: 12345678
    username: joe
    password: secret-pw
    client-certificate-data: "secret?"
    as-groups: [g]
    auth-provider: {name: gcp}
    exec: {apiVersion: v9, args: [secret-arg, 5], env: [{name: A}, {value: secret-env}]}
contexts: [{name: x, context: {cluster: c, user: u, namespace: [n]}}]`;

  test('is reported all at once, with file, entry and field, and without secrets', async () => {
    const error: unknown = await load({ kubeconfig: '/k/config' }, machine({ '/k/config': broken })).catch(
      (error) => error,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toBe(`context "x" cannot be used:
  /k/config: context "x": namespace: must be a string, not a list
  /k/config: cluster "c": server: must be an http or https URL
  /k/config: cluster "c": insecure-skip-tls-verify: must be true or false, not a number
  /k/config: cluster "c": certificate-authority: cannot read /k/ca.crt (ENOENT)
  /k/config: cluster "c": proxy-url: must be an http, https or socks5 URL
  /k/config: user "u": client-certificate-data: is not base64
  /k/config: user "u": client-key: is missing, required by client-certificate
  /k/config: user "u": token: must be a string, not a number
  /k/config: user "u": exec: apiVersion: must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1
  /k/config: user "u": exec: command: is missing
  /k/config: user "u": exec: interactiveMode: is missing, it must be Never, IfAvailable, Always
  /k/config: user "u": exec: env[1]: must have a name and a value that are strings
  /k/config: user "u": exec: args[1]: must be a string, not a number
  /k/config: user "u": auth-provider: is not supported; use exec instead
  /k/config: user "u": only one of username, exec can be set
  /k/config: user "u": as: is missing, required by as-groups`);
    expect((error as Error).message).not.toMatch(/secret|12345678/);
  });

  test.each<[string, AccessFlags, string]>([
    ['a context that does not exist', { context: 'prodd' }, 'context "prodd" does not exist; available: "dev", "prod"'],
    ['a cluster that does not exist', { cluster: 'c9' }, 'cluster "c9" does not exist; available: "c1", "c2"'],
    [
      'a user who does not exist',
      { user: 'eve' },
      'user "eve" does not exist; available: "jane", "cert", "basic", "other"',
    ],
    ['an invalid server', { server: 'one:6443' }, 'server: must be an http or https URL'],
  ])('is rejected because of %s', async (_what, flags, message) => {
    await expect(load(flags)).rejects.toThrow(message);
  });

  test.each([
    ['invalid YAML', 'users:\n- name: u\n  user: {token: "secret-x\n', '/k: is not valid YAML: line 4: missing char'],
    ['a tab for indentation', 'users:\n\t- secret-x', '/k: is not valid YAML: line 2: tab as indent'],
    ['a duplicate key', 'users: []\nusers: [secret-x]', '/k: is not valid YAML: line 2: duplicate key'],
    ['a list instead of an object', '- secret-x', '/k: must be an object, not a list'],
    ['another kind', 'kind: Secret', '/k: kind: must be Config'],
    ['another version', 'apiVersion: v2', '/k: apiVersion: must be v1'],
    ['a missing name', 'users: [{user: {token: secret-x}}]', '/k: users[0]: name: is missing'],
    ['a duplicate name', 'users: [{name: a}, {name: a}]', '/k: users[1]: name: there is another user "a" in this file'],
    ['a string instead of a list', 'users: secret-x', '/k: users: must be a list, not a string'],
  ])('is rejected because of %s in the file', async (_what, text, message) => {
    const error: unknown = await load({ kubeconfig: '/k' }, machine({ '/k': text })).catch((error) => error);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('secret-x');
  });

  test('is reported with a remedy if the file or the context is missing', async () => {
    await expect(load({}, machine({}))).rejects.toMatchObject({
      message: 'no kubeconfig was found (looked at /home/jane/.kube/config), and this is not a pod',
      hint: 'Set a file with --kubeconfig or KUBECONFIG, or a server with --server. Or start a cluster on this host: vimana up',
    });
    const text = 'contexts: [{name: a, context: {}}, {name: b, context: {}}]';
    await expect(load({ kubeconfig: '/k' }, machine({ '/k': text }))).rejects.toMatchObject({
      message: 'no current context is set (looked at /k)',
      hint: 'Choose one with --context: a, b.',
    });
  });

  test('is rejected because of a context without a cluster', async () => {
    const text = 'current-context: a\ncontexts: [{name: a, context: {user: u}}]\nusers: [{name: u}]';
    await expect(load({ kubeconfig: '/k' }, machine({ '/k': text }))).rejects.toThrow(
      '/k: context "a": cluster: is missing',
    );
  });

  // kubectl reads the same words in this way.
  test.each([
    ['1:30', '1:30'],
    ['2001-01-01', '2001-01-01'],
    ['tRUE', 'tRUE'],
    ['!!str 5', '5'],
    ['~', 'default'],
    ['y', undefined],
    ['Off', undefined],
    ['0777', undefined],
    ['1_000', undefined],
    ['1e3', undefined],
  ])('has the namespace %s parsed as %j', async (written, namespace) => {
    const text = `current-context: a\nclusters: [{name: c, cluster: {server: "http://x"}}]\ncontexts: [{name: a, context: {cluster: c, namespace: ${written}}}]`;
    const access = load({ kubeconfig: '/k' }, machine({ '/k': text }));
    if (namespace === undefined) await expect(access).rejects.toThrow('/k: context "a": namespace: must be a string');
    else expect((await access).namespace).toBe(namespace);
  });

  test('is accepted if only unused entries are invalid', async () => {
    const text = `${DEV}\npreferences: {colors: true}\n`.replace('secret-pw', '[1]');
    expect((await load({ kubeconfig: '/k' }, machine({ '/k': text }))).server).toBe('https://one:6443');
  });
});

describe('a kubeconfig that we write', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const here = nodeHostEnvironment({ env: {}, clock: { now: () => 0 }, terminal: false });

  test('is loaded as it was written, and only its owner can read it', async () => {
    const path = join(directory, 'new', 'config');
    const pem = (what: string) => `-----BEGIN ${what}-----\n${'x'.repeat(200)}\n-----END ${what}-----\n`;
    writeKubeconfig(path, {
      name: 'no',
      server: 'https://127.0.0.1:6443',
      caPem: pem('CA'),
      clientCert: pem('CERT'),
      clientKey: pem('KEY'),
      namespace: '1e3',
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await loadClusterAccess({ kubeconfig: path }, here)).toMatchObject({
      server: 'https://127.0.0.1:6443',
      ca: pem('CA'),
      cert: pem('CERT'),
      key: pem('KEY'),
      namespace: '1e3',
    });
    expect(readFileSync(path, 'utf8')).toContain('current-context: "no"');
  });

  test('replaces an old one, and other users lose access', async () => {
    const path = join(directory, 'config');
    writeFileSync(path, 'old', { mode: 0o644 });
    writeKubeconfig(path, { name: 'x', server: 'http://x', token: 'yes' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const access = await loadClusterAccess({ kubeconfig: path }, here);
    expect(await access.headers()).toEqual({ Authorization: 'Bearer yes' });
  });
});
