import { readFileSync } from 'node:fs';

/** API server under load. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly readyMs: number;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** Returns the resident memory of all its processes in MiB. */
export function residentMiB({ pids }: Target): number {
  const kib = pids.map((pid) => {
    const [, amount = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(amount);
  });
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}
