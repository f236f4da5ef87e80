import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { librariesIn, type ProgramFiles, type SandboxRequest, sandboxCommand } from './sandbox-command.ts';

const run = promisify(execFile);

/** How a sandboxed program ended. */
export interface SandboxResult {
  readonly status: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stdout: string;
  /** Beginning of what it wrote to its standard error output. */
  readonly stderr: string;
}

/** Where programs are found. The environment of this process is not passed on. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin' };
const MAX_STDERR = 4096;
const MAX_STDOUT = 1 << 20;

/** Finds the files of a program of this host. */
export async function programFiles(name: string): Promise<ProgramFiles> {
  const { stdout: path } = await run('/bin/sh', ['-c', 'command -v "$1"', 'sh', name], { env: ENVIRONMENT });
  const { stdout } = await run('ldd', [path.trim()], { env: ENVIRONMENT });
  return { path: path.trim(), libraries: librariesIn(stdout) };
}

/** Runs a program in a sandbox to its end. */
export async function runSandboxed(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult> {
  const { stdout, ended } = startSandboxed(request, signal);
  const [printed, end] = await Promise.all([boundedText(stdout, MAX_STDOUT), ended]);
  return { ...end, stdout: printed };
}

/** Starts a program in a sandbox, and streams what it prints. Its output must be read to the end. */
export function startSandboxed(
  request: SandboxRequest,
  signal: AbortSignal,
): { readonly stdout: Readable; readonly ended: Promise<Omit<SandboxResult, 'stdout'>> } {
  const [command = '', ...args] = sandboxCommand(request);
  // SIGKILL ends the program as well: it dies with its parent.
  const child = spawn(command, args, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill, { once: true });
  const said = boundedText(child.stderr, MAX_STDERR);
  const ended = (async () => {
    try {
      const [status, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      return { status: status ?? undefined, signal: killedBy ?? undefined, stderr: await said };
    } finally {
      signal.removeEventListener('abort', kill);
    }
  })();
  return { stdout: child.stdout, ended };
}

/** Reads a stream to its end, and keeps its beginning. */
async function boundedText(stream: Readable, max: number): Promise<string> {
  async function* beginning() {
    let left = max;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (left > 0) yield chunk.subarray(0, left);
      left -= chunk.length;
    }
  }
  return await text(beginning());
}
