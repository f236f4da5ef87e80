import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HYPERSDK_VMS, VM_TEMPLATES } from '#api/hypersdk/resources';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { resourceTypeFor } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import type { Embedded } from '#programs/up/embedded';
import { withEmbeddedFleet } from './support/embedded-fleet.ts';
import { UP_FLAGS } from './support/up-flags.ts';

const CLONES = Number(process.env['VIMANA_BENCH_CLONES'] ?? 200);
const NODES = 20;
const TARGET_S = 5;
const namespace = 'default';
const OPERATIONS = resourceTypeFor(vmOperation);

/** Measures linked clones of a VM from a template, from the first requested operation until all of them run. */
export async function run(): Promise<void> {
  const child = spawn(process.execPath, [...UP_FLAGS, fileURLToPath(import.meta.url)], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error('the benchmark of clones failed');
}

async function measure(): Promise<void> {
  await withEmbeddedFleet(
    NODES,
    async (embedded) => {
      await makeSource(embedded);
      const writes = new AbortController();
      const counted = writesUntil(embedded, writes.signal);
      const cpu = process.cpuUsage();
      const began = realClock.monotonic();
      const running = untilRunning(embedded, CLONES + 1);
      await Promise.all(Array.from({ length: CLONES }, (_, at) => askForClone(embedded, at)));
      await running;
      const seconds = (realClock.monotonic() - began) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      writes.abort();
      figure(`${CLONES} linked clones running`, `${seconds.toFixed(2)}s`, `at most ${TARGET_S}s`);
      figure('CPU for each', `${Math.round((user + system) / CLONES)}us`);
      figure('writes for each, until it runs', ((await counted) / CLONES).toFixed(1));
    },
    ['hypersdk'],
  );
}

async function makeSource({ admin }: Embedded): Promise<void> {
  await admin.create(VM_TEMPLATES, {
    metadata: { name: 'ubuntu-22-04', namespace },
    spec: { displayName: 'Ubuntu', image: { source: 'https://images.example.org/ubuntu-22.04.qcow2' } },
  });
  await admin.create(HYPERSDK_VMS, {
    metadata: { name: 'golden', namespace },
    spec: {
      cpus: 1,
      memory: '1Gi',
      image: { templateRef: { name: 'ubuntu-22-04' } },
      disks: [{ name: 'root', size: '10Gi', storageClass: 'fast-ssd' }],
    },
  });
  for await (const { type, object } of admin.watch(HYPERSDK_VMS, { namespace })) {
    if (type !== 'BOOKMARK' && object.status?.phase === 'Running') return;
  }
}

async function askForClone({ admin }: Embedded, at: number): Promise<void> {
  await admin.create(OPERATIONS, {
    metadata: { name: `clone-${at}`, namespace },
    spec: {
      vmRef: { name: 'golden' },
      operation: 'clone',
      cloneSpec: { targetName: `golden-${at}`, linkedClone: true, startAfterClone: true },
    },
  });
}

async function untilRunning({ admin }: Embedded, count: number): Promise<void> {
  const running = new Set<string>();
  for await (const { type, object } of admin.watch(HYPERSDK_VMS, { namespace })) {
    if (type !== 'BOOKMARK' && object.status?.phase === 'Running') running.add(object.metadata.name);
    if (running.size === count) return;
  }
}

async function writesUntil({ plane }: Embedded, signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const batch of plane.backend.stores.main.watch({ prefix: '', signal })) {
    for (const event of batch) if (event.type !== 'progress' && !/\/(leases|events)\//.test(event.key)) count++;
  }
  return count;
}

function figure(what: string, value: string, target = ''): void {
  console.log(`${what.padEnd(40)} ${value.padStart(10)}${target === '' ? '' : `  (${target})`}`);
}

if (import.meta.main) await measure();
