import { VMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { missingAssets } from '../test/cluster/assets.ts';
import { startRealCluster } from '../test/cluster/real-cluster.ts';
import { type Installation, installChart } from '../test/operator/installation.ts';
import { type Call, callsIn } from '../test/operator/rights.ts';
import { withEmbeddedFleet } from './support/embedded-fleet.ts';
import { machineNumber } from './support/machine.ts';

const MACHINES = Number(process.env['VIMANA_BENCH_MACHINES'] ?? 1000);
const NODES = Number(process.env['VIMANA_BENCH_NODES'] ?? 100);
const NAMESPACE = 'default';
const AT_ONCE = 16;
const WRITES = new Set(['create', 'update', 'patch', 'delete']);
/**
 * Resources that are written at a steady rate, and counted separately from the cost of VMs. Reviews are only requested.
 */
const BESIDES = /^(events|leases|.*reviews|secrets|.*webhookconfigurations|apiservices)$/;

interface Figures {
  readonly seconds: number;
  /** Writes of the operator per VM, or of all components if they share one process. */
  readonly writes: number;
  readonly everybodys: number;
  readonly memory: number;
  /** Writes of the operator per VM, by verb and resource. */
  readonly by?: ReadonlyMap<string, number>;
}

/** Measures the same fleet on a real control plane with KWOK's nodes, and on the embedded one. */
export async function run(): Promise<void> {
  const missing = missingAssets();
  if (missing.length > 0) {
    console.log(`  skipped: it needs ${missing.join(', ')} (node test/cluster/build-assets.ts builds them)`);
    return;
  }
  const embedded = await onEmbedded();
  const real = await onReal();
  console.log(`  ${MACHINES} machines on ${NODES} nodes`.padEnd(48) + 'real'.padStart(10) + 'embedded'.padStart(12));
  const rate = ({ seconds }: Figures) => `${(MACHINES / seconds).toFixed(0)}/s`;
  figure('from first create to all running', rate(real), rate(embedded));
  figure('  seconds', real.seconds.toFixed(1), embedded.seconds.toFixed(1));
  figure('writes of the operator for each', real.writes.toFixed(2), '', 'at most 6');
  for (const [name, count] of real.by ?? []) figure(`  ${name}`, count.toFixed(2), '');
  figure('writes of everybody for each', real.everybodys.toFixed(2), embedded.everybodys.toFixed(2));
  figure('memory of the operator, at most', mebibytes(real.memory), '', 'at most 512');
  figure('memory of everything in one process', '', mebibytes(embedded.memory));
}

async function onReal(): Promise<Figures> {
  const cluster = await startRealCluster({ nodes: NODES, audit: true });
  let installed: Installation | undefined;
  try {
    const client = await cluster.client();
    installed = await installChart(cluster);
    const operator = await installed.startReplica();
    await operator.untilReady();
    await waitForWebhooks(client);
    const before = callsIn(cluster.auditLog).length;
    let memory = 0;
    const measuring = new AbortController();
    const measured = (async () => {
      while (!measuring.signal.aborted) {
        memory = Math.max(memory, await operator.measured('process_resident_memory_bytes'));
        await realClock.sleep(500, measuring.signal).catch(() => {});
      }
    })();
    const seconds = await allRunning(client);
    measuring.abort();
    await measured;
    const writes = callsIn(cluster.auditLog).slice(before).filter(isWrite);
    const own = writes.filter(({ user }) => user === installed?.user);
    // The user creates the VMs, so one write per VM is not counted.
    const by = new Map([...Map.groupBy(own, nameOf)].map(([name, calls]) => [name, calls.length / MACHINES]));
    return { seconds, memory, by, writes: own.length / MACHINES, everybodys: writes.length / MACHINES - 1 };
  } finally {
    await installed?.stop();
    await cluster.stop();
  }
}

function isWrite({ verb, resource, code }: Call): boolean {
  return WRITES.has(verb) && code < 300 && !BESIDES.test(resource) && !resource.startsWith('nodes');
}

const nameOf = ({ verb, resource }: Call) => `${verb} ${resource}`;

/** Waits until the API server trusts the webhooks, which takes a moment. */
async function waitForWebhooks(client: Client): Promise<void> {
  const { spec } = machineNumber(0);
  const first = { metadata: { name: 'first', namespace: NAMESPACE }, spec: { ...spec, runStrategy: 'Halted' } };
  for (let turn = 0; ; turn++) {
    try {
      await client.create(VMS, first, { namespace: NAMESPACE });
      break;
    } catch (error) {
      if (turn === 100) throw error;
      await realClock.sleep(200);
    }
  }
  await client.delete(VMS, 'first', { namespace: NAMESPACE });
}

function onEmbedded(): Promise<Figures> {
  return withEmbeddedFleet(NODES, async ({ admin, plane }) => {
    const { main } = plane.backend.stores;
    const before = main.revision;
    const seconds = await allRunning(admin);
    const everybodys = (main.revision - before) / MACHINES - 1;
    return { seconds, writes: everybodys, everybodys, memory: process.memoryUsage.rss() };
  });
}

/** Returns the seconds from the first create until all VMs run. */
async function allRunning(client: Client): Promise<number> {
  const began = performance.now();
  const done = running(client);
  await createAll(client);
  await done;
  return (performance.now() - began) / 1000;
}

async function createAll(client: Client): Promise<void> {
  let next = 0;
  const create = async () => {
    while (next < MACHINES) await client.create(VMS, machineNumber(next++) as never, { namespace: NAMESPACE });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, create));
}

async function running(client: Client): Promise<void> {
  const seen = new Set<string>();
  for await (const { type, object } of client.watch(VMS, { namespace: NAMESPACE })) {
    if (type === 'ADDED' || type === 'MODIFIED') {
      if (object.status?.printableStatus === 'Running') seen.add(object.metadata.name ?? '');
    }
    if (seen.size === MACHINES) return;
  }
  throw new Error(`the watch ended when ${seen.size} of ${MACHINES} machines ran`);
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20).toLocaleString('en')}MiB`;

function figure(name: string, real: string, embedded: string, target = ''): void {
  console.log(`  ${name.padEnd(46)}${real.padStart(10)}${embedded.padStart(12)}  ${target}`);
}
