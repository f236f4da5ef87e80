import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from './support/load.ts';
import { startOurs } from './support/ours.ts';
import { startPeer } from './support/peer.ts';
import { residentMiB, type Target } from './support/target.ts';

const CONNECTIONS = 64;
const FEW = 3_000;
const MANY = 10_000;
const ROUNDS = 3;
const IDLE_MS = 20_000;
const PATH = '/api/v1/namespaces/default/configmaps';
const PADDING = 'x'.repeat(850);
const MERGE_PATCH = 'application/merge-patch+json';

type Figures = Map<string, { value: number; unit: string; limit?: string }>;

/** Measures the memory of a durable API server after objects of 1 KiB are written, read, patched and deleted. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-bench-'));
  try {
    print(
      await measureServer(() => startOurs(join(folder, 'ours'))),
      await measureServer(() => startPeer(join(folder, 'peer'))),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureServer(start: () => Promise<Target | undefined>): Promise<Figures> {
  const figures: Figures = new Map();
  const target = await start();
  if (target === undefined) return figures;
  try {
    figures.set('at the start', { value: residentMiB(target), unit: 'MiB' });
    figures.set(`first ${FEW} creates`, { value: await round(target, FEW), unit: '/s' });
    figures.set(`after ${FEW} objects`, { value: residentMiB(target), unit: 'MiB', limit: 'at most 250' });
    for (let i = 0; i < ROUNDS; i++) {
      figures.set('creates later', { value: await round(target, MANY), unit: '/s' });
    }
    figures.set(`after ${ROUNDS} x ${MANY} more`, { value: residentMiB(target), unit: 'MiB', limit: 'at most 350' });
    await sleep(IDLE_MS);
    figures.set(`idle for ${IDLE_MS / 1000} s`, { value: residentMiB(target), unit: 'MiB' });
  } finally {
    await target.stop();
  }
  return figures;
}

/** Returns the number of creates per second. */
async function round(target: Target, count: number): Promise<number> {
  const load = new Load(target, CONNECTIONS);
  const body = (i: number) => JSON.stringify({ metadata: { name: `c-${i}` }, data: { padding: PADDING } });
  const { perSecond } = await load.run(count, (i) => load.send('POST', PATH, body(i)));
  await load.run(count, (i) => load.send('GET', `${PATH}/c-${i}`));
  await load.run(count, (i) => load.send('PATCH', `${PATH}/c-${i}`, `{"data":{"n":"${i}"}}`, MERGE_PATCH));
  await load.run(count, (i) => load.send('DELETE', `${PATH}/c-${i}`));
  await load.close();
  return perSecond;
}

function print(ours: Figures, peer: Figures): void {
  for (const [name, { value, unit, limit = '' }] of ours) {
    const other = peer.get(name);
    const real = other === undefined ? '' : `kube-apiserver with etcd: ${Math.round(other.value)}${unit}`;
    console.log(`  ${name.padEnd(24)} ${`${Math.round(value)}${unit}`.padStart(10)}  ${limit.padEnd(12)} ${real}`);
  }
}

if (import.meta.main) await run();
