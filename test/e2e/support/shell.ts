import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Target } from './target.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Runs a command line like a user's shell, in this repository with its commands in PATH. It must succeed. */
export async function shell(
  { kubeconfig, folder }: Pick<Target, 'kubeconfig' | 'folder'>,
  line: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const path = `${join(ROOT, 'bin')}:${process.env['PATH'] ?? ''}`;
  const child = spawn('bash', ['-o', 'pipefail', '-c', line], {
    cwd: ROOT,
    env: { PATH: path, HOME: folder, KUBECONFIG: kubeconfig, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number>((done) => child.on('close', (status) => done(status ?? -1)));
  if (code !== 0) throw new Error(`${line} ended with ${code}:\n${out}\n${err}`);
  return out;
}
