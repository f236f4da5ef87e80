import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const LAUNCHER = resolve(import.meta.dirname, '../bin/vimana');
const scratch = mkdtempSync(join(tmpdir(), 'vimana-start-'));
const file = join(scratch, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Each has its own directory, because all run at once. */
const data = () => ['--data-dir', mkdtempSync(join(scratch, 'data-'))];

async function ended(args: readonly string[]): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const child = spawn(LAUNCHER, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 100_000 });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [status] = (await once(child, 'close')) as [unknown];
  return { status, stdout, stderr };
}

/** Unsupported requests to the API server, and the expected errors. */
const CASES: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    'a data directory at an impossible path',
    ['--data-dir', '/proc/nothing'],
    /data directory \/proc\/nothing cannot be used/,
  ],
  ['a data directory that is a file', ['--data-dir', file], /the data directory \S+ cannot be used/],
  [
    'an invalid address',
    [...data(), '--bind-address', '999.1.1.1'],
    /the address 999\.1\.1\.1 does not belong to this host/,
  ],
  [
    'the address of another host',
    [...data(), '--bind-address', '192.0.2.1'],
    /the address 192\.0\.2\.1 does not belong to this host/,
  ],
  [
    'a kubeconfig at an impossible path',
    [...data(), '--kubeconfig-out', join(file, 'x')],
    /kubeconfig cannot be written/,
  ],
  [
    'a kubeconfig that is a directory',
    [...data(), '--kubeconfig-out', scratch],
    /^error: \S+ is a directory, but --kubecon/,
  ],
  ['an audit log at an impossible path', [...data(), '--audit-log', join(file, 'x')], /audit log cannot be written/],
  [
    'plain HTTP on a public address',
    [...data(), '--insecure-http', '--bind-address', '0.0.0.0'],
    /not served on 0\.0\.0\.0/,
  ],
];

test.concurrent.each([
  ['an audit log at an impossible path', ['--audit-log', join(file, 'x')], /^error: the audit log cannot be written: /],
  [
    'a kubeconfig at an impossible path',
    ['--kubeconfig-out', join(file, 'x')],
    /^error: the kubeconfig cannot be written: /,
  ],
  [
    'a kubeconfig that is a directory',
    ['--kubeconfig-out', scratch],
    /^error: \S+ is a directory, but --kubeconfig-out/,
  ],
  [
    'an invalid scheduler configuration',
    ['--scheduler-config', file],
    /^error: the scheduler configuration \S+ cannot be/,
  ],
  ['a missing node file', ['--node-file', join(scratch, 'none')], /^error: the node pools of \S+ cannot be used: /],
])('vimana up rejects %s before it starts, with a reason', async (_what, flags, reason) => {
  const args = ['up', '--port', '0', '--ephemeral', '--empty', ...data(), ...flags];
  const { status, stdout, stderr } = await ended(args);
  expect(stderr).toMatch(reason);
  expect(stdout).toBe('');
  expect(status).toBe(1);
});

test.concurrent.each(CASES)('%s is rejected at once, with a reason', async (_what, flags, reason) => {
  const args = ['apiserver', '--port', '0', ...flags];
  const { status, stderr } = await ended(args);
  expect(stderr).toMatch(reason);
  expect(stderr).not.toContain('internal error');
  expect(status).toBe(1);
});
