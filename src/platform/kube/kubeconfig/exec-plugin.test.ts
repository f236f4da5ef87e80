import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadClusterAccess } from './load.ts';
import { nodeHostEnvironment } from './node-host-environment.ts';

const V1 = 'client.authentication.k8s.io/v1';
const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

let directory: string;
let now: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'exec-'));
  now = Date.UTC(2026, 0, 1);
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Creates a plugin that counts its runs, records its input, and prints a text. */
function plugin(prints: string, name = 'plugin', end = ''): void {
  const script = `#!/bin/sh
echo run >> "${directory}/runs"
printf '%s' "$KUBERNETES_EXEC_INFO" > "${directory}/info"
printf '%s|' "$@" "$EXTRA" "$INHERITED" > "${directory}/told"
cat <<'END'
${prints}
END
${end}
`;
  writeFileSync(join(directory, name), script);
  chmodSync(join(directory, name), 0o755);
}

const credential = (status: object, apiVersion = V1): string =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, status });
const runs = (): number => readFileSync(join(directory, 'runs'), 'utf8').trim().split('\n').length;

function access(exec: object = {}, { terminal = false, env = {}, cluster = {} } = {}) {
  const config = {
    'current-context': 'x',
    clusters: [{ name: 'c', cluster: { server: 'https://x', ...cluster } }],
    users: [{ name: 'u', user: { exec: { apiVersion: V1, command: './plugin', interactiveMode: 'Never', ...exec } } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(join(directory, 'config'), JSON.stringify(config));
  const environment = nodeHostEnvironment({
    env: { PATH: `${directory}:/usr/bin:/bin`, INHERITED: 'inherited', ...env },
    clock: { now: () => now },
    terminal,
  });
  return loadClusterAccess({ kubeconfig: join(directory, 'config') }, environment);
}

describe('a plugin', () => {
  test('returns a token, and receives its arguments and environment', async () => {
    plugin(credential({ token: 'secret' }));
    const { headers } = await access({ args: ['get', 'token'], env: [{ name: 'EXTRA', value: 'e x' }] });
    expect(await headers()).toEqual({ Authorization: 'Bearer secret' });
    expect(readFileSync(join(directory, 'told'), 'utf8')).toBe('get|token|e x|inherited|');
    expect(JSON.parse(readFileSync(join(directory, 'info'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: { interactive: false },
    });
  });

  test('without a directory in its name is found in PATH', async () => {
    plugin(credential({ token: 'by-path' }), 'gives-tokens');
    const { headers } = await access({ command: 'gives-tokens' });
    expect(await headers()).toEqual({ Authorization: 'Bearer by-path' });
  });

  test('receives the cluster if it requests that', async () => {
    plugin(credential({ token: 't' }, V1BETA1));
    const cluster = {
      'certificate-authority-data': Buffer.from('CA').toString('base64'),
      'tls-server-name': 'api',
      'proxy-url': 'http://proxy',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }],
    };
    const { headers } = await access({ apiVersion: V1BETA1, provideClusterInfo: true }, { cluster });
    await headers();
    expect(JSON.parse(readFileSync(join(directory, 'info'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1BETA1,
      spec: {
        cluster: {
          server: 'https://x',
          'tls-server-name': 'api',
          'certificate-authority-data': Buffer.from('CA').toString('base64'),
          'proxy-url': 'http://proxy',
          config: { audience: 'a' },
        },
        interactive: false,
      },
    });
  });

  test('returns a certificate', async () => {
    plugin(credential({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }));
    const { headers, certificate } = await access();
    expect(await certificate()).toEqual({ cert: 'CERT', key: 'KEY' });
    expect(await headers()).toEqual({});
    expect(runs()).toBe(1);
  });
});

describe('the credential of a plugin', () => {
  test('is shared by all concurrent requests until it expires', async () => {
    const expirationTimestamp = new Date(now + 60_000).toISOString();
    plugin(credential({ token: 'one', expirationTimestamp }));
    const { headers } = await access();
    await Promise.all([headers(), headers(), headers()]);
    now += 59_999;
    expect(await headers()).toEqual({ Authorization: 'Bearer one' });
    expect(runs()).toBe(1);
    plugin(credential({ token: 'two' }));
    now += 1;
    const all = await Promise.all([headers(), headers(), headers()]);
    expect(all).toEqual(all.map(() => ({ Authorization: 'Bearer two' })));
    expect(runs()).toBe(2);
  });

  test('without an expiry is used until the server rejects it', async () => {
    plugin(credential({ token: 'one' }));
    const { headers, refused: rejected } = await access();
    await headers();
    now += 10 ** 12;
    await headers();
    expect(runs()).toBe(1);
    plugin(credential({ token: 'two' }));
    expect(rejected()).toBe(true);
    expect(await headers()).toEqual({ Authorization: 'Bearer two' });
    expect(runs()).toBe(2);
  });
});

describe('a plugin that fails', () => {
  test.each([
    ['not JSON: secret', 'printed something that is not JSON'],
    ['null', 'did not print an ExecCredential'],
    [JSON.stringify({ kind: 'Secret', token: 'secret' }), 'did not print an ExecCredential'],
    [credential({ token: 'secret' }, V1BETA1), `printed another version than ${V1}`],
    [JSON.stringify({ kind: 'ExecCredential', apiVersion: V1 }), 'printed an ExecCredential without a status'],
    [credential({}), 'returned neither a token nor a certificate'],
    [
      credential({ clientCertificateData: 'secret' }),
      'returned a certificate without its key, or a key without its certificate',
    ],
    [credential({ token: 5 }), 'returned credentials that are not strings'],
    [credential({ token: 'secret', expirationTimestamp: 'soon' }), 'returned an invalid expirationTimestamp'],
  ])('with %j is reported, without secrets', async (prints, problem) => {
    plugin(prints);
    const { headers } = await access({ args: ['secret-arg'] });
    const error: unknown = await headers().catch((error) => error);
    expect((error as Error).message).toBe(`exec: ${directory}/plugin ${problem}`);
    expect((error as Error).message).not.toContain('secret');
  });

  test('with an exit code is reported, and retried', async () => {
    plugin('', 'plugin', 'exit 3');
    const { headers } = await access({ installHint: 'Install it like this.' });
    await expect(headers()).rejects.toMatchObject({
      message: `exec: ${directory}/plugin failed with exit code 3`,
      hint: 'Install it like this.',
    });
    plugin(credential({ token: 'better' }));
    expect(await headers()).toEqual({ Authorization: 'Bearer better' });
  });

  test('because it does not exist names the install hint', async () => {
    const { headers } = await access({ command: 'no-such-plugin', installHint: 'Install it like this.' });
    await expect(headers()).rejects.toMatchObject({
      message: 'exec: no-such-plugin was not found',
      hint: 'Install it like this.',
    });
  });

  test('because it is not executable is reported', async () => {
    writeFileSync(join(directory, 'plugin'), 'text', { mode: 0o644 });
    const { headers } = await access();
    await expect(headers()).rejects.toThrow(`exec: ${directory}/plugin could not be started (EACCES)`);
  });
});

describe('a terminal', () => {
  test.each([
    ['Never', true, false],
    ['IfAvailable', true, true],
    ['IfAvailable', false, false],
    ['Always', true, true],
  ])('with mode %s and available %s is offered: %s', async (interactiveMode, terminal, interactive) => {
    plugin(credential({ token: 't' }));
    const { headers } = await access({ interactiveMode }, { terminal });
    await headers();
    expect(JSON.parse(readFileSync(join(directory, 'info'), 'utf8'))).toMatchObject({ spec: { interactive } });
  });

  test('that is required but missing fails before the plugin runs', async () => {
    plugin(credential({ token: 't' }));
    const { headers } = await access({ interactiveMode: 'Always' });
    await expect(headers()).rejects.toThrow('requires a terminal for its prompt, and there is none');
    expect(() => runs()).toThrow();
  });

  test('is offered to old plugins that do not declare a mode', async () => {
    plugin(credential({ token: 't' }, V1BETA1));
    const { headers } = await access({ apiVersion: V1BETA1, interactiveMode: undefined }, { terminal: true });
    await headers();
    expect(JSON.parse(readFileSync(join(directory, 'info'), 'utf8'))).toMatchObject({ spec: { interactive: true } });
  });
});
