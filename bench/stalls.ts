import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeApiServer, vimanaApiServer } from '../test/attacks/support/attack-target.ts';
import { COSTLY_ATTACKS } from '../test/attacks/support/costly-requests.ts';
import { missingAssets } from '../test/cluster/assets.ts';
import { type AttackFigures, measureAttack, type Quantiles } from './support/stalls/measure-attack.ts';

const SECONDS = Number(process.env['VIMANA_BENCH_SECONDS'] ?? 60);
const CHOSEN = (process.env['VIMANA_BENCH_ATTACKS'] ?? '').split(',').filter((name) => name !== '');
const BOUND_MS = 100;
const BOUND_RATIO = 2;
/** Longest time for which one user's request may occupy the thread that serves everyone. */
const STALL_BOUND_MS = 50;
const MONITOR = join(import.meta.dirname, 'support/stalls/stall-monitor.ts');

/** Measures how long other users wait while one user attacks, on Vimana and on kube-apiserver. */
export async function run(): Promise<void> {
  const missing = process.env['VIMANA_BENCH_PEER'] === 'no' ? ['VIMANA_BENCH_PEER'] : missingAssets();
  if (missing.length > 0) console.log(`  kube-apiserver is left out for lack of ${missing.join(', ')}`);
  console.log(`  milliseconds; 100 requests of another user per second for ${SECONDS} s`);
  console.log(`  ${'attack'.padEnd(30)} ${'server'.padEnd(8)} ${heading}`);
  const names = ['none', ...COSTLY_ATTACKS.map(({ name }) => name)];
  for (const name of names) {
    if (CHOSEN.length > 0 && !CHOSEN.includes(name)) continue;
    const ours = await withMonitor((stalls) =>
      measureAttack(vimanaApiServer('--log-level', 'silent'), name, SECONDS, stalls),
    );
    const kube = missing.length > 0 ? undefined : await measureAttack(kubeApiServer(), name, SECONDS);
    const bound = Math.max(BOUND_MS, BOUND_RATIO * (kube?.quantiles.p999 ?? 0));
    const meets = ours.quantiles.p999 <= bound && ours.failures === '';
    print(name, 'vimana', ours);
    if (kube !== undefined) print(name, 'kube', kube);
    const stalled = (ours.stall?.processorMs ?? 0) <= STALL_BOUND_MS ? 'meets' : 'MISSES';
    const verdict = `${meets ? 'meets' : 'MISSES'} ${bound.toFixed(0)} ms at p99.9`;
    console.log(`  ${name.padEnd(30)} ${verdict}, ${stalled} ${STALL_BOUND_MS} ms of CPU per stall`);
  }
}

const heading = ['p50', 'p99', 'p99.9', 'max', 'stall', 'cpu'].map((text) => text.padStart(8)).join('');

function print(attack: string, server: string, figures: AttackFigures): void {
  const { quantiles, stall, failures, answers } = figures;
  const { p50, p99, p999, max }: Quantiles = quantiles;
  const columns = [p50, p99, p999, max, stall?.wallMs, stall?.processorMs].map((each) =>
    (each?.toFixed(1) ?? '').padStart(8),
  );
  const failed = failures === '' ? '' : `; failed: ${failures}`;
  console.log(`  ${attack.padEnd(30)} ${server.padEnd(8)} ${columns.join('')}   answers: ${answers}${failed}`);
}

/** Makes servers that are started meanwhile record the stalls of their event loop. */
async function withMonitor<T>(work: (stalls: () => string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-stalls-'));
  const file = join(folder, 'stalls');
  writeFileSync(file, '');
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `${before ?? ''} --import=${MONITOR}`;
  process.env['VIMANA_STALL_LOG'] = file;
  try {
    return await work(() => readFileSync(file, 'utf8'));
  } finally {
    delete process.env['VIMANA_STALL_LOG'];
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await run();
