import { setTimeout as sleep } from 'node:timers/promises';
import { VMS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';

const CHANGES = 1000;
const EVERY_MS = 10;
const LIMIT_MS = 30_000;

interface Pending {
  readonly began: number;
  /** Generation of the changed spec. Unknown until the change has its response. */
  generation: number;
}

/** Measures the delay from a change of a VM's spec to its status, at 100 changes per second over all VMs. */
export async function statusDelays(admin: Client, machines: number): Promise<{ p99: number; middle: number }> {
  const pending = new Map<string, Pending>();
  const observed = new Map<string, number>();
  const delays: number[] = [];
  const stop = new AbortController();
  const settle = (name: string): void => {
    const change = pending.get(name);
    if (change === undefined || (observed.get(name) ?? 0) < change.generation) return;
    delays.push(performance.now() - change.began);
    pending.delete(name);
  };
  const watching = (async () => {
    for await (const { object } of admin.watch(VMS, { signal: stop.signal })) {
      const { name = '' } = object.metadata;
      observed.set(name, ((object['status'] ?? {}) as { desiredGeneration?: number }).desiredGeneration ?? 0);
      settle(name);
    }
  })().catch(() => {});
  const change = async (at: number): Promise<void> => {
    const name = `vm-${(at * 7919) % machines}`;
    const body = { spec: { template: { metadata: { annotations: { 'bench/change': String(at) } } } } };
    const began = performance.now();
    pending.set(name, { began, generation: Number.POSITIVE_INFINITY });
    const { metadata } = await admin.patch(VMS, name, { type: 'merge', body }, { namespace: 'default' });
    pending.set(name, { began, generation: metadata.generation ?? 0 });
    settle(name);
  };
  const began = performance.now();
  const sent: Promise<void>[] = [];
  for (let at = 0; at < CHANGES; at++) {
    await sleep(Math.max(0, began + at * EVERY_MS - performance.now()));
    sent.push(change(at));
  }
  await Promise.all(sent);
  while (pending.size > 0 && performance.now() - began < CHANGES * EVERY_MS + LIMIT_MS) await sleep(EVERY_MS);
  stop.abort();
  await watching;
  if (pending.size > 0) throw new Error(`${pending.size} changes never showed in a status`);
  delays.sort((a, b) => a - b);
  const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? 0;
  return { p99: at(0.99), middle: at(0.5) };
}
