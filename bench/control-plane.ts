import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import type { KubeObject } from '#platform/kube/kube-object';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { fanOut } from './support/fan-out.ts';
import { Load } from './support/load.ts';
import { startOurs } from './support/ours.ts';
import { stagesOfCreate } from './support/stages.ts';
import { residentMiB } from './support/target.ts';

const AT_ONCE = 64;
const CREATES = 20_000;
const STORED = 100_000;
const CONNECTIONS = 16;
const PATH = '/api/v1/namespaces/default/configmaps';

/** Measures a control plane as the controllers in its process see it, also when it is large. */
export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'bench-control-plane-'));
  try {
    await inProcess();
    await watching(join(root, 'watched'));
    await large(join(root, 'large'));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function inProcess(): Promise<void> {
  const plane = await start({});
  const rates: number[] = [];
  for (let round = 0; round < 3; round++) rates.push(await creates(plane, round * CREATES, CREATES, 850));
  const best = Math.max(...rates);
  figure('creates in the process', `${number(best)}/s`, 'at least 20,000');
  figure('  each', `${(1e6 / best).toFixed(1)}us`);
  const resource = plane.backend.registry.find('', 'v1', 'configmaps');
  if (resource === undefined) throw new Error('config maps are not served');
  const stages = await stagesOfCreate(plane, resource, () => configMap(0, 850));
  for (const [name, each] of stages) figure(`  ${name}`, `${each.toFixed(1)}us`);
  await plane.stop();
}

async function watching(folder: string): Promise<void> {
  const target = await startOurs(folder);
  const { first, worst, middle } = await fanOut(target);
  figure('1,000 watches, one write', `${worst.toFixed(1)}ms`, 'at most 50');
  figure('  the first, unpractised', `${first.toFixed(1)}ms`);
  figure('  the middle of 20', `${middle.toFixed(1)}ms`);
  await target.stop();
}

/** Fills the store from within, since this measures how a large store opens and continues. */
async function large(folder: string): Promise<void> {
  const plane = await start({ dataDir: folder, store: 'lmdb', durability: 'relaxed' });
  await creates(plane, 0, STORED, 1_750);
  await plane.stop();
  const target = await startOurs(folder);
  figure('100,000 of 2 KiB: start', `${(target.readyMs / 1000).toFixed(2)}s`, 'at most 3');
  figure('  memory when ready', `${number(residentMiB(target))}MiB`, 'at most 1,536');
  const load = new Load(target, CONNECTIONS);
  let next = STORED;
  const create = () => load.send('POST', PATH, JSON.stringify(configMap(next++, 1_750)));
  // Controllers list everything for the first time meanwhile.
  const first = await load.run(2_000, create);
  figure('  create p99 at first', `${first.p99.toFixed(1)}ms`);
  const { perSecond, p99 } = await load.run(10_000, create);
  figure('  create p99', `${p99.toFixed(1)}ms`, 'at most 20');
  figure('  creates', `${number(perSecond)}/s`);
  figure('  memory then', `${number(residentMiB(target))}MiB`, 'at most 1,536');
  await load.close();
  await target.stop();
}

type Stored = { dataDir?: string; store?: 'lmdb'; durability?: 'relaxed' };

function start(stored: Stored): Promise<ControlPlane> {
  return startVmControlPlane({ ...stored, clock: realClock, random: systemRandom(), log: noopLogger });
}

function configMap(i: number, size: number): KubeObject {
  const metadata = { name: `c-${i}`, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { padding: 'x'.repeat(size) } };
}

/** Returns creates per second through the in-process client. */
async function creates(plane: ControlPlane, from: number, count: number, size: number): Promise<number> {
  const client = plane.client({ name: 'admin', groups: ['system:masters'] }, 'bench');
  let next = from;
  const worker = async () => {
    while (next < from + count) await client.create(CONFIG_MAPS, configMap(next++, size));
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (count * 1000) / (performance.now() - began);
}

function figure(name: string, value: string, target = ''): void {
  console.log(`  ${name.padEnd(28)} ${value.padStart(12)}  ${target}`);
}

const number = (value: number) => Math.round(value).toLocaleString('en');

if (import.meta.main) await run();
