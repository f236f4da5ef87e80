import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { connect } from '#programs/connect';
import { demoGuests } from '#programs/up/demo-guests';
import { waitForChange } from '#vm/node/qemu/directory/wait-for-change';
import { startUp } from '../test/e2e/support/vimana.ts';
import { median, medianBound } from './support/qemu/median-bound.ts';
import { copyMachine, measureRawQemu, waitForGuest } from './support/qemu/raw-qemu.ts';

const PAIRS = Number(process.env['VIMANA_BENCH_PAIRS'] ?? 30);
const GUESTS = Number(process.env['VIMANA_BENCH_GUESTS'] ?? 50);
const MIB = 2 ** 20;
const TIMEOUT_MS = 300_000;
const namespace = 'default';
const launcher = resolve(import.meta.dirname, '../bin/vimana');

/** Compares real VMs with raw QEMU, the same arguments in turns, and measures what Vimana needs beside QEMU. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-bench-qemu-'));
  try {
    const data = join(folder, 'data');
    const { status, stderr } = spawnSync(launcher, ['image', 'build', '--data-dir', data], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    await comparePairs(folder);
    if (GUESTS > 0) measureMany(folder, join(data, 'images', 'demo-guest.raw'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function comparePairs(folder: string): Promise<void> {
  const server = await startUp(['--runtime', 'qemu', '--empty', '--dialects', 'kubevirt'], folder);
  const connection = await connect({ kubeconfig: server.kubeconfig });
  const root = join(folder, 'data', 'machines', 'qemu-node-1');
  const pairs: Pair[] = [];
  try {
    for (let at = 0; at < PAIRS; at++) pairs.push(await measurePair(connection.client, root, at));
  } finally {
    await connection.close();
    await server.stop();
  }
  const differences = pairs.map(({ ours, raw }) => ours - raw);
  const ms = (value: number) => `${Math.round(value)} ms`;
  figure('create to guest ready', ms(median(pairs.map(({ ours }) => ours))));
  figure('raw QEMU, same arguments', ms(median(pairs.map(({ raw }) => raw))));
  figure(`median difference of ${PAIRS} pairs`, ms(median(differences)));
  figure('95% bound of that', ms(medianBound(differences)), 'at most 250 ms');
  figure('writes of a start', `${Math.max(...pairs.map(({ writes }) => writes))}`, 'at most 6');
}

interface Pair {
  readonly ours: number;
  readonly raw: number;
  readonly writes: number;
}

/** Measures one VM and, when it is gone, one raw QEMU. */
async function measurePair(client: Client, root: string, at: number): Promise<Pair> {
  const [vm] = demoGuests(namespace);
  const name = `pair-${at}`;
  const counting = new AbortController();
  const counted = countWrites(client, name, counting.signal);
  const began = realClock.monotonic();
  await client.create(VMS, { ...vm, metadata: { ...vm?.metadata, name } } as never);
  const machine = await waitForMachine(client, root, name);
  await waitForGuest(machine);
  const ours = realClock.monotonic() - began;
  const writes = await counted;
  counting.abort();
  const copy = await copyMachine(machine);
  await client.delete(VMS, name, { namespace });
  await waitForDeletion(client, name);
  return { ours, raw: await measureRawQemu(copy), writes };
}

/** Waits for the directory of a VM's machine, whose name is the UID of its instance. */
async function waitForMachine(client: Client, root: string, name: string): Promise<string> {
  for await (const { type, object } of client.watch(VMIS, { namespace })) {
    if (type === 'BOOKMARK' || object.metadata.name !== name) continue;
    const machine = join(root, object.metadata.uid ?? '');
    const found = async () => (existsSync(join(machine, 'serial.log')) ? true : undefined);
    await waitForChange(root, found, { clock: realClock, timeoutMs: TIMEOUT_MS });
    return machine;
  }
  throw new Error('the watch has ended');
}

async function waitForDeletion(client: Client, name: string): Promise<void> {
  for (;;) {
    const { items } = await client.list(PODS, { namespace });
    const instances = await client.list(VMIS, { namespace });
    const names = [...items, ...instances.items].map(({ metadata }) => metadata.name ?? '');
    if (!names.some((each) => each.includes(name))) return;
    await realClock.sleep(50);
  }
}

/** Counts the writes of VM, instance and pod until the VM is reported to run, without the creation of the VM. */
async function countWrites(client: Client, name: string, signal: AbortSignal): Promise<number> {
  const seen = new Set<string>();
  const end = new AbortController();
  const stop = AbortSignal.any([signal, end.signal]);
  const count = async (type: typeof VMS | typeof VMIS | typeof PODS) => {
    for await (const { type: change, object } of client.watch(type as typeof VMS, { namespace, signal: stop })) {
      if (change === 'BOOKMARK' || !(object.metadata.name ?? '').includes(name)) continue;
      seen.add(`${object.kind} ${object.metadata.resourceVersion}`);
      const { printableStatus } = (object.status ?? {}) as { readonly printableStatus?: string };
      if (printableStatus === 'Running') end.abort();
    }
  };
  await Promise.allSettled([count(VMS), count(VMIS), count(PODS)]);
  return seen.size - 1;
}

/** Boots many guests in a process that has nothing but the driver of a node agent. */
function measureMany(folder: string, image: string): void {
  const script = join(import.meta.dirname, 'support/qemu/driver-process.ts');
  const args = ['--expose-gc', script, join(folder, 'many'), image, `${GUESTS}`];
  spawnSync('mkdir', ['-p', join(folder, 'many')]);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const { before, after, alive, keeper } = JSON.parse(stdout) as Record<
    'before' | 'after' | 'alive' | 'keeper',
    number
  >;
  const mib = (bytes: number) => `${(bytes / MIB).toFixed(2)} MB`;
  figure(`guests alive of ${GUESTS}`, `${alive}`, 'all');
  figure('machine driver without machines', mib(before), 'at most 80 MB');
  figure('for each machine', mib((after - before) / GUESTS), 'at most 0.3 MB');
  figure('keeper', mib(keeper), 'at most 2 MB');
}

function figure(name: string, value: string, target = ''): void {
  console.log(`  ${name.padEnd(34)} ${value.padStart(12)}  ${target}`);
}

if (import.meta.main) await run();
