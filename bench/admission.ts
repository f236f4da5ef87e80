import { readFileSync } from 'node:fs';
import { realClock } from '#platform/base/clock';
import { readManifest } from '#platform/kube/manifest';
import type { Kind } from '#platform/schema/kind';
import { admission } from '#vm/admission/admit';
import type { Admitter } from '#vm/admission/admitter';
import { virtualMachineAdmitter as hypersdk } from '#vm/dialects/hypersdk/admission/virtual-machine';
import { virtualMachineAdmitter as kubevirt } from '#vm/dialects/kubevirt/admission/virtual-machine';
import { virtualMachineAdmitter as novacron } from '#vm/dialects/novacron/admission/virtual-machine';
import { virtualMachineAdmitter as simulation } from '#vm/dialects/simulation/admission/virtual-machine';

const TARGET = 30;
/**
 * The batch is small, as in a server: otherwise the garbage collector would spend its time on objects that wait for
 * their turn.
 */
const BATCH = 100;
const WARM_UP = 300;
const MEASURED = 300;

/**
 * Measures admission of a typical VM of each group: pruning, defaults, schema, rules, validation. The target is CPU
 * time, since wall time depends on what else runs on the host.
 */
export async function run(): Promise<void> {
  measure(kubevirt, 'test/fixtures/documented/004-virtual-machine.yaml');
  measure(hypersdk, 'test/fixtures/documented/002-virtual-machine-from-template.yaml');
  // The documented example requests unsupported features.
  measure(novacron, 'examples/novacron/vm-full.yaml');
  measure(simulation, 'test/fixtures/documented/000-virtual-machine.yaml');
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

  const spent = { cpu: 0, wall: 0 };
  for (let round = 0; round < WARM_UP + MEASURED; round++) {
    // Admission works in place, so every write requires an object of its own, created before the measurement.
    const objects = Array.from({ length: BATCH }, (): unknown => JSON.parse(text));
    const start = realClock.monotonic();
    const before = process.cpuUsage();
    for (const object of objects) write(object);
    const { user, system } = process.cpuUsage(before);
    if (round < WARM_UP) continue;
    spent.cpu += user + system;
    spent.wall += (realClock.monotonic() - start) * 1_000;
  }
  report(`${group} ${kind}`, spent.cpu / (MEASURED * BATCH), spent.wall / (MEASURED * BATCH));
}

/**
 * Returns a manifest as it reaches admission: the API server sets the namespace and drops the status of a new object.
 */
function typicalMachine(file: string): string {
  const path = new URL(`../${file}`, import.meta.url);
  const object = readManifest(readFileSync(path, 'utf8')).documents[0]?.object as { metadata: object };
  return JSON.stringify({ ...object, metadata: { namespace: 'default', ...object.metadata }, status: undefined });
}

function report(what: string, cpu: number, wall: number): void {
  const figures = `${cpu.toFixed(1).padStart(6)} µs of CPU ${wall.toFixed(1).padStart(6)} µs on the wall`;
  console.log(`${what.padEnd(46)} ${figures}${cpu > TARGET ? '  above target' : ''}`);
}

if (import.meta.main) await run();
