import { readFileSync } from 'node:fs';
import { admission } from '../src/admission/admit.ts';
import type { Admitter } from '../src/admission/admitter.ts';
import { virtualMachineAdmitter as hypersdk } from '../src/admission/hypersdk/virtual-machine.ts';
import { virtualMachineAdmitter as kubevirt } from '../src/admission/kubevirt/virtual-machine.ts';
import { virtualMachineAdmitter as novacron } from '../src/admission/novacron/virtual-machine.ts';
import { virtualMachineAdmitter as simulation } from '../src/admission/simulation/virtual-machine.ts';
import type { Kind } from '../src/api/kind.ts';
import { realClock } from '../src/base/clock.ts';
import { readManifest } from '../src/kube/manifest.ts';

const TARGET = 30;
const BATCH = 1_000;
const WARM_UP = 10;
const MEASURED = 30;

/** How long a typical machine of each group takes through admission: pruning, defaults, schema, rules, validation. */
export async function run(): Promise<void> {
  measure(kubevirt, '004-virtual-machine.yaml');
  measure(hypersdk, '002-virtual-machine-from-template.yaml');
  measure(novacron, '003-virtual-machine.yaml');
  measure(simulation, '000-virtual-machine.yaml');
  console.log(`target: at most ${TARGET} µs`);
}

function measure<K extends Kind>(admitter: Admitter<K>, file: string): void {
  const { group, kind } = admitter.kind;
  const text = typicalMachine(file);
  const admit = admission(admitter);
  const write = (object: unknown) =>
    admit({ operation: 'CREATE', object, user: { name: 'bench', groups: [] }, lookup: () => undefined });
  const { causes } = write(JSON.parse(text));
  if (causes.length > 0) throw new Error(`${file} is not admitted: ${JSON.stringify(causes)}`);

  let spent = 0;
  for (let round = 0; round < WARM_UP + MEASURED; round++) {
    // Admission works in place, so every write needs an object of its own, made before the watch runs.
    const objects = Array.from({ length: BATCH }, (): unknown => JSON.parse(text));
    const start = realClock.monotonic();
    for (const object of objects) write(object);
    if (round >= WARM_UP) spent += realClock.monotonic() - start;
  }
  report(`${group} ${kind}`, (spent * 1_000) / (MEASURED * BATCH));
}

/** A manifest as it reaches admission: the API server sets the namespace and drops the status of a new object. */
function typicalMachine(file: string): string {
  const path = new URL(`../test/fixtures/documented/${file}`, import.meta.url);
  const object = readManifest(readFileSync(path, 'utf8')).documents[0]?.object as { metadata: object };
  return JSON.stringify({ ...object, metadata: { namespace: 'default', ...object.metadata }, status: undefined });
}

function report(what: string, microseconds: number): void {
  const perSecond = Math.round(1_000_000 / microseconds).toLocaleString('en');
  const verdict = microseconds > TARGET ? '  above target' : '';
  console.log(`${what.padEnd(46)} ${microseconds.toFixed(1).padStart(6)} µs ${perSecond.padStart(9)} ops/s${verdict}`);
}

if (import.meta.main) await run();
