import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Load } from './support/load.ts';
import { startOurs } from './support/ours.ts';
import { startPeer } from './support/peer.ts';
import { residentMiB, type Target } from './support/target.ts';

const CONNECTIONS = 64;
const OBJECTS = 10_000;
const PATH = '/api/v1/namespaces/default/configmaps';
const PADDING = 'x'.repeat(850);

type Figures = Map<string, { value: number; unit: string; target?: number; least?: true }>;

/** Measures a durable API server over HTTPS as a client sees it, and a real one if it is installed. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-bench-'));
  try {
    const ours = await measureServer(() => startOurs(join(folder, 'ours')));
    const peer = await measureServer(() => startPeer(join(folder, 'peer')));
    print(ours, peer);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureServer(start: () => Promise<Target | undefined>): Promise<Figures | undefined> {
  const target = await start();
  if (target === undefined) return undefined;
  try {
    return await measure(target);
  } finally {
    await target.stop();
  }
}

async function measure(target: Target): Promise<Figures> {
  const figures: Figures = new Map();
  figures.set('start to ready', { value: target.readyMs, unit: 'ms', target: 700 });
  figures.set('memory idle', { value: residentMiB(target), unit: 'MiB', target: 150 });
  const load = new Load(target, CONNECTIONS);
  const body = (i: number) => JSON.stringify({ metadata: { name: `c-${i}` }, data: { padding: PADDING } });
  const creates = await load.run(OBJECTS, (i) => load.send('POST', PATH, body(i)));
  figures.set('creates', { value: creates.perSecond, unit: '/s', target: 3000, least: true });
  figures.set('create p99', { value: creates.p99, unit: 'ms' });
  const merge = 'application/merge-patch+json';
  const patches = await load.run(OBJECTS, (i) => load.send('PATCH', `${PATH}/c-${i}`, `{"data":{"n":"${i}"}}`, merge));
  figures.set('merge patches', { value: patches.perSecond, unit: '/s', target: 3000, least: true });
  const gets = wrk(target);
  if (gets !== undefined) figures.set('gets (wrk)', { value: gets, unit: '/s', target: 10_000, least: true });
  figures.set('list of 3,000', {
    value: await best(() => load.send('GET', `${PATH}?limit=3000`)),
    unit: 'ms',
    target: 60,
  });
  figures.set('list of 10,000', { value: await best(() => load.send('GET', PATH)), unit: 'ms', target: 150 });
  const deletes = await load.run(OBJECTS, (i) => load.send('DELETE', `${PATH}/c-${i}`));
  figures.set('deletes', { value: deletes.perSecond, unit: '/s' });
  figures.set('memory after', { value: residentMiB(target), unit: 'MiB' });
  await load.close();
  return figures;
}

/** Returns the median of five runs in ms. */
async function best(action: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    await action();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[2] ?? 0;
}

/** Runs wrk, since a Node.js client reaches its limit long before the server does. */
function wrk({ url, token }: Target): number | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-wrk-'));
  try {
    writeFileSync(join(folder, 'headers.lua'), `wrk.headers["Authorization"] = "Bearer ${token}"\n`, { mode: 0o600 });
    const args = ['-t1', `-c${CONNECTIONS}`, '-d5s', '-s', join(folder, 'headers.lua'), `${url}${PATH}/c-1`];
    const output = execFileSync('wrk', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  } catch {
    console.log("gets are left out: install Debian's package wrk");
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(ours: Figures | undefined, peer: Figures | undefined): void {
  if (peer === undefined) console.log('no kube-apiserver and etcd in KUBE_ASSETS or the user cache: no ratio');
  for (const [name, { value, unit, target, least }] of ours ?? []) {
    const other = peer?.get(name)?.value;
    const aim = target === undefined ? '' : `${least === true ? 'at least' : 'at most'} ${target}`;
    const ratio = other === undefined ? '' : `real: ${number(other)}${unit}, ratio ${(value / other).toFixed(2)}`;
    console.log(`  ${name.padEnd(16)} ${`${number(value)}${unit}`.padStart(12)}  ${aim.padEnd(16)} ${ratio}`);
  }
}

const number = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1));

if (import.meta.main) await run();
