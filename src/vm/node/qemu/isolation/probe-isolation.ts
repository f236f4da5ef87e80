import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import { PROGRAM_PATH } from '../keeper/spawn-keeper.ts';
import { blockedRanges } from './blocked-ranges.ts';
import type { Isolation } from './isolation.ts';

const run = promisify(execFile);
const PROBE_TIMEOUT_MS = 10_000;

export interface IsolationProbe {
  readonly isRoot: boolean;
  /** IPv4 addresses of the host. */
  readonly addresses: readonly string[];
}

/** Finds out by trying how machines can be isolated on this host. */
export async function probeIsolation({ isRoot, addresses }: IsolationProbe): Promise<Isolation> {
  const user = isRoot ? 'uid' : 'namespace';
  const blocked = blockedRanges(addresses);
  const owner = isRoot ? [] : ['--user', '--map-root-user'];
  const failure = await failureOf('unshare', [...owner, '--net', '--mount', '--ipc', 'ip', 'link', 'set', 'lo', 'up']);
  if (failure !== undefined) {
    const limitation = `this host does not let its users create namespaces (${failure})`;
    return { user: 'none', network: 'private', limitation, blocked };
  }
  const missing = await missingForInternet();
  if (missing === undefined) return { user, network: 'internet', blocked };
  return { user, network: 'private', limitation: `guests reach no other network: ${missing}`, blocked };
}

async function missingForInternet(): Promise<string | undefined> {
  const failure = await failureOf('slirp4netns', ['--version']);
  if (failure !== undefined) return 'slirp4netns not found (apt-get install slirp4netns)';
  return await access('/dev/net/tun', constants.R_OK | constants.W_OK).then(
    () => undefined,
    () => '/dev/net/tun is not accessible',
  );
}

async function failureOf(file: string, args: readonly string[]): Promise<string | undefined> {
  try {
    await run(file, [...args], { timeout: PROBE_TIMEOUT_MS, env: { PATH: PROGRAM_PATH } });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    return (stderr?.trim() || message).split('\n')[0];
  }
}
