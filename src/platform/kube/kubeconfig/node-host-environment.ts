import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Command, HostEnvironment } from './host-environment.ts';

/**
 * Returns the environment of the host that the process runs on. The caller provides environment variables, clock and
 * terminal.
 */
export function nodeHostEnvironment(given: Pick<HostEnvironment, 'env' | 'clock' | 'terminal'>): HostEnvironment {
  return { ...given, readFile: (path) => readFile(path, 'utf8'), run };
}

function run({ command, args, env, interactive }: Command): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    // A program that was ended by a signal has no exit code. Shells count that as a failure too.
    child.on('close', (code) => resolve({ code: code ?? 128, stdout: Buffer.concat(chunks).toString('utf8') }));
  });
}
