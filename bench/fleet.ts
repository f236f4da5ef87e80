import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { systemRandom } from '../src/base/random.ts';
import { VMS } from '../src/kube/kinds/machines.ts';
import { type Embedded, startEmbedded } from '../src/up/embedded.ts';
import { machineNumber } from './support/machine.ts';

const MACHINES = Number(process.env['VIMANA_BENCH_MACHINES'] ?? 10_000);
const NODES = Number(process.env['VIMANA_BENCH_NODES'] ?? 1000);
const AT_ONCE = 64;

/** A whole fleet from first create to all running, in one process with durable writes. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
  const embedded = await startEmbedded({
    dataDir: folder,
    store: 'lmdb',
    dialects: ['kubevirt'],
    pools: [{ count: NODES, size: { cpu: '32', memory: '128Gi', pods: '110' } }],
    clock: realClock,
    random: systemRandom(),
    log: silentLogger,
  });
  try {
    await ready(embedded);
    const before = embedded.plane.backend.stores.main.revision;
    const began = performance.now();
    const done = running(embedded, MACHINES);
    let next = 0;
    const create = async () => {
      while (next < MACHINES) {
        const at = next++;
        await embedded.admin.create(VMS, machineNumber(at) as never, { namespace: 'default' });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, create));
    const created = performance.now();
    await done;
    const ended = performance.now();
    const after = embedded.plane.backend.stores.main.revision;
    figure('created', `${rate(MACHINES, created - began)}/s`);
    figure('from first create to all running', `${rate(MACHINES, ended - began)}/s`, 'at least 1,000');
    figure('writes for each beside its create', ((after - before - MACHINES) / MACHINES).toFixed(2), 'at most 6');
    figure('memory', `${Math.round(process.memoryUsage.rss() / 2 ** 20).toLocaleString('en')}MiB`, 'at most 1,536');
    await idle();
  } finally {
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ready({ admin, fleet }: Embedded): Promise<void> {
  const missing = new Set(fleet.nodes);
  const { NODES: nodes } = await import('../src/kube/kinds/node.ts');
  for await (const { type, object } of admin.watch(nodes)) {
    const conditions = ((object['status'] ?? {}) as { conditions?: { type: string; status: string }[] }).conditions;
    const isReady = conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
    if (type !== 'BOOKMARK' && isReady) missing.delete(object.metadata.name ?? '');
    if (missing.size === 0) return;
  }
}

async function running({ admin }: Embedded, count: number): Promise<void> {
  const seen = new Set<string>();
  for await (const { type, object } of admin.watch(VMS)) {
    const { printableStatus } = (object['status'] ?? {}) as { printableStatus?: string };
    if (type !== 'BOOKMARK' && printableStatus === 'Running') seen.add(object.metadata.name ?? '');
    if (seen.size === count) return;
  }
}

/** What is used while nothing changes. */
async function idle(): Promise<void> {
  await realClock.sleep(5000);
  const before = process.cpuUsage();
  const began = performance.now();
  await realClock.sleep(30_000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1000 / (performance.now() - began);
  figure('idle, of a core', `${(share * 100).toFixed(2)}%`, 'at most 2');
}

const rate = (count: number, ms: number) => Math.round((count / ms) * 1000).toLocaleString('en');

function figure(name: string, value: string, target = ''): void {
  console.log(`  ${name.padEnd(36)}${value.padStart(10)}  ${target}`);
}
