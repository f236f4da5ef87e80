import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScenarioEngine } from '#fleet/simulation/engine/scenario-engine';
import { TICK_MS } from '#fleet/simulation/runner/scenario-runner';
import { parseDuration } from '#platform/base/duration';
import { seededRandom } from '#platform/base/random';
import { scenarioAt } from '#programs/cli/scenario-file';
import { terminal } from '#programs/cli/terminal';
import { UP_FLAGS } from './support/up-flags.ts';

/** Multiples of the day's nodes and VMs, and the part of the day that the full simulation runs. */
const SIZES = [
  { times: 1, until: '24h', runs: 2 },
  { times: 10, until: '1h', runs: 1 },
  { times: 100, until: '5m', runs: 1 },
];
/** At a factor of 100 the full simulation requires about 20 GiB, so it runs only on request. */
const wanted = process.env['BENCH_TIMES']?.split(',').map(Number) ?? [1, 10];
/** Sizes for the scenario engine alone, without a cluster. */
const DECISIONS = [
  { times: 1, until: '24h' },
  { times: 10, until: '24h' },
  { times: 100, until: '2h' },
];
const TARGET_SECONDS = 60;
const TARGET_MIB = 1024;

const MAIN = resolve(import.meta.dirname, '../src/programs/main.ts');
const DAY = resolve(import.meta.dirname, '../examples/simulation/day.yaml');

/**
 * Measures the day of examples/simulation/day.yaml, and shorter parts of it with more nodes and VMs.
 * BENCH_TIMES=1,10,100 runs all.
 */
export async function run(): Promise<void> {
  for (const { times, until } of DECISIONS) decide(times, until);
  for (const { times, until, runs } of SIZES.filter((size) => wanted.includes(size.times))) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-simulate-'));
    try {
      const scenario = join(folder, 'day.yaml');
      writeFileSync(scenario, grown(readFileSync(DAY, 'utf8'), times));
      const digests = new Set<string>();
      for (let at = 0; at < runs; at++) {
        const out = join(folder, `run-${at}`);
        const { cpu, main, wall, mib } = await measureRun([
          'simulate',
          '--scenario',
          scenario,
          '--until',
          until,
          '--out',
          out,
        ]);
        digests.add(digestOf(out));
        const target = times === 1 ? `  at most ${TARGET_SECONDS} s and ${TARGET_MIB} MiB` : '';
        console.log(
          `  ${sizeText(times, until).padEnd(44)}${wall.toFixed(1)} s on the wall, ${main.toFixed(1)} s of its thread, ${cpu.toFixed(1)} s of all, ${Math.round(mib)} MiB${target}`,
        );
      }
      if (runs > 1) console.log(`  ${digests.size === 1 ? 'the same bytes each time' : 'DIFFERENT BYTES'}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Runs the decisions of the scenario engine against a view that never changes. */
function decide(times: number, until: string): void {
  const text = grown(readFileSync(DAY, 'utf8'), times);
  const { spec } = scenarioAt({ ...terminal, read: () => text }, 'day.yaml');
  const nodes = Array.from({ length: 100 * times }, (_, at) => ({
    name: `node-${at + 1}`,
    up: true,
    cpuUsage: 0.5,
    cpuPressure: 0,
    memoryUsage: 0.5,
    memoryPressure: 0,
    vmCount: 20,
  }));
  const seen = { nodes: () => nodes, nodeOf: () => 'node-1', vmsOn: () => ['web-1'], pending: () => 0 };
  const before = process.threadCpuUsage();
  const engine = new ScenarioEngine(spec, {
    random: seededRandom(1),
    reference: { cores: 32, bytes: 2 ** 37 },
    tickMs: TICK_MS,
    resolution: 0.1,
    untilMs: parseDuration(until),
  });
  let commands = 0;
  for (let at = engine.nextAt; at !== undefined; at = engine.nextAt) commands += engine.step(at, seen).commands.length;
  const { user, system } = process.threadCpuUsage(before);
  const took = `${((user + system) / 1e6).toFixed(1)} s of its thread for ${commands.toLocaleString('en')} commands`;
  console.log(`  deciding alone: ${sizeText(times, until).padEnd(28)}${took}`);
}

const sizeText = (times: number, until: string) =>
  `${(100 * times).toLocaleString('en')} nodes, ${(2000 * times).toLocaleString('en')} machines, ${until}`;

/** Returns the same day with a multiple of the nodes, VMs and tasks. */
function grown(text: string, times: number): string {
  if (times === 1) return text;
  return text
    .replace(/count: (\d{2,})/g, (_, count: string) => `count: ${Number(count) * times}`)
    .replace(/ratePerHour: (\d+)/, (_, rate: string) => `ratePerHour: ${Number(rate) * times}`)
    .replace(/mean: 240 /, `mean: ${240 / times} `)
    .replace(/maxConcurrent: (\d+)/, (_, most: string) => `maxConcurrent: ${Number(most) * times}`);
}

interface Measured {
  readonly wall: number;
  readonly cpu: number;
  /** CPU time of the main thread, without garbage collection beside it. */
  readonly main: number;
  readonly mib: number;
}

async function measureRun(args: readonly string[]): Promise<Measured> {
  const began = performance.now();
  const child = spawn(process.execPath, [...UP_FLAGS, fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let told: Omit<Measured, 'wall'> | undefined;
  child.on('message', (message) => (told = message as Omit<Measured, 'wall'>));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 || told === undefined) throw new Error(`vimana simulate ended with ${code}`);
  return { ...told, wall: (performance.now() - began) / 1000 };
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

/** As a separate process, the file runs the command and reports its usage. */
if (import.meta.main) {
  process.argv.splice(1, 1, MAIN, 'vimana');
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const thread = process.threadCpuUsage();
    process.send?.({
      cpu: (user + system) / 1e6,
      main: (thread.user + thread.system) / 1e6,
      mib: process.resourceUsage().maxRSS / 1024,
    });
  });
  await import('#programs/main');
}
