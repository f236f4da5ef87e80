import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { VMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import type { Embedded } from '#programs/up/embedded';
import { withEmbeddedFleet } from './support/embedded-fleet.ts';
import { machineNumber } from './support/machine.ts';
import { statusDelays } from './support/status-delays.ts';
import { UP_FLAGS } from './support/up-flags.ts';

const MACHINES = Number(process.env['VIMANA_BENCH_MACHINES'] ?? 10_000);
const NODES = Number(process.env['VIMANA_BENCH_NODES'] ?? 1000);
/**
 * The number is high enough to keep the process busy while the disk writes; fewer requests would wait for each other.
 */
const AT_ONCE = 256;
const CONNECTIONS = 32;
const SETTLE_MS = 30_000;
const IDLE_MS = 60_000;

/**
 * Measures a whole fleet from the first create until all VMs run, in one process with durable writes. Each runs in a
 * process of its own, since leftovers of the first would count as memory of the second.
 */
export async function run(): Promise<void> {
  for (const part of Object.keys(PARTS)) await inChild([...UP_FLAGS, fileURLToPath(import.meta.url), part]);
}

async function inProcess(): Promise<void> {
  await withEmbeddedFleet(NODES, async (embedded) => {
    const { perSecond } = await burst(embedded, () => createInProcess(embedded));
    figure('from first create to all running', `${perSecond}/s`, 'at least 1,000');
    await told(embedded);
    const delays = await statusDelays(embedded.admin, MACHINES);
    figure('change to status at 100/s, p99', `${delays.p99.toFixed(1)}ms`, 'at most 50');
    figure('  the middle', `${delays.middle.toFixed(1)}ms`);
    await idle();
  });
}

async function overHttps(): Promise<void> {
  await withEmbeddedFleet(NODES, async (embedded) => {
    const { perSecond } = await burst(embedded, () => createOverHttps(embedded));
    figure('the same with creates over HTTPS', `${perSecond}/s`, 'at least 500');
  });
}

/** Counts the writes until the signal, except those of node leases, which depend on time and not on VMs. */
async function writesUntil({ plane }: Embedded, signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const batch of plane.backend.stores.main.watch({ prefix: '', signal })) {
    for (const event of batch) if (event.type !== 'progress' && !event.key.includes('/leases/')) count++;
  }
  return count;
}

/** Creates all VMs and waits until they run. */
async function burst(embedded: Embedded, create: () => Promise<void>): Promise<{ perSecond: string }> {
  const counting = new AbortController();
  const writes = writesUntil(embedded, counting.signal);
  const began = performance.now();
  const cpu = process.cpuUsage();
  const done = running(embedded, MACHINES);
  await create();
  const created = performance.now();
  await done;
  const ended = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  counting.abort();
  figure('created', `${rate(MACHINES, created - began)}/s`);
  figure('CPU for each', `${Math.round((user + system) / MACHINES)}us`);
  figure('writes for each beside its create', (((await writes) - MACHINES) / MACHINES).toFixed(2), 'at most 6');
  figure('memory', `${Math.round(process.memoryUsage.rss() / 2 ** 20).toLocaleString('en')}MiB`, 'at most 1,536');
  return { perSecond: rate(MACHINES, ended - began) };
}

async function createInProcess({ admin }: Embedded): Promise<void> {
  let next = 0;
  const create = async () => {
    while (next < MACHINES) await admin.create(VMS, machineNumber(next++) as never, { namespace: 'default' });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, create));
}

async function createOverHttps({ plane }: Embedded): Promise<void> {
  const script = fileURLToPath(import.meta.resolve('./support/machine-creator.ts'));
  const url = `https://127.0.0.1:${plane.port}`;
  await inChild([script, url, String(MACHINES), String(CONNECTIONS)], plane.adminToken);
}

async function inChild(args: readonly string[], input = ''): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(input);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
}

async function running({ admin }: Embedded, count: number): Promise<void> {
  const seen = new Set<string>();
  for await (const batch of admin.watch(VMS).batches?.() ?? []) {
    for (const { type, object } of batch) {
      const { printableStatus } = (object['status'] ?? {}) as { printableStatus?: string };
      if (type !== 'BOOKMARK' && printableStatus === 'Running') seen.add(object.metadata.name ?? '');
    }
    if (seen.size === count) return;
  }
}

/** Waits until all Events of the start are written, since they have the lowest priority. */
async function told({ plane }: Embedded): Promise<void> {
  const { events } = plane.backend.stores;
  const began = performance.now();
  for (let before = -1; before !== events.revision; ) {
    before = events.revision;
    await realClock.sleep(2000);
  }
  figure('  all Events written after', `${((performance.now() - began) / 1000 - 2).toFixed(0)}s`);
}

/** Measures the usage while nothing changes, once the garbage of the start is collected. */
async function idle(): Promise<void> {
  await realClock.sleep(SETTLE_MS);
  const before = process.cpuUsage();
  const began = performance.now();
  await realClock.sleep(IDLE_MS);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - began);
  figure('idle, of a core', `${(share * 100).toFixed(2)}%`, 'at most 2');
}

const rate = (count: number, ms: number) => Math.round((count / ms) * 1000).toLocaleString('en');

function figure(name: string, value: string, target = ''): void {
  console.log(`  ${name.padEnd(36)}${value.padStart(10)}  ${target}`);
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = { inProcess, overHttps };

if (import.meta.main) await PARTS[process.argv[2] ?? '']?.();
