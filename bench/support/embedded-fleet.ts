import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { conditionOf } from '#platform/kube/kinds/condition';
import { NODES } from '#platform/kube/kinds/node';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '#programs/up/embedded';

/** Runs a measurement on a control plane in this process, with durable writes and `count` ready nodes. */
export async function withEmbeddedFleet<T>(
  nodes: number,
  measure: (embedded: Embedded) => Promise<T>,
  dialects: EmbeddedOptions['dialects'] = ['kubevirt'],
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
  const embedded = await startEmbedded({
    dataDir: folder,
    store: 'lmdb',
    dialects,
    pools: [{ count: nodes, size: { cpu: '32', memory: '128Gi', pods: '110' } }],
    clock: realClock,
    random: systemRandom(),
    log: noopLogger,
  });
  try {
    await ready(embedded, nodes);
    return await measure(embedded);
  } finally {
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until this number of nodes accepts VMs. */
async function ready({ admin }: Embedded, count: number): Promise<void> {
  const open = new Set<string>();
  for await (const { type, object } of admin.watch(NODES)) {
    if (type === 'BOOKMARK') continue;
    const { status, spec } = object;
    const isReady = conditionOf(status?.conditions, 'Ready')?.status === 'True';
    if (isReady && spec?.taints === undefined) open.add(object.metadata.name ?? '');
    if (open.size === count) return;
  }
}
