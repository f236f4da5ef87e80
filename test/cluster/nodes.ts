import { parse } from 'yaml';
import { realClock } from '#platform/base/clock';
import type { Client, NewObject } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { kwokManifests } from '#vm/node/simulated/kwok/manifests';

/** Creates the nodes of `vimana nodes --print --count N` for KWOK. */
export async function createNodes(client: Client, count: number, prefix?: string): Promise<void> {
  const named = prefix === undefined ? {} : { prefix };
  const documents = kwokManifests([{ count, zones: ['zone-1', 'zone-2', 'zone-3'], ...named }]).split('---\n');
  for (const text of documents) {
    const object = parse(text) as NewObject<Node> & { kind: string };
    if (object.kind === 'Node') await client.create(NODES, object);
  }
}

/** Waits until all nodes are ready. */
export async function nodesReady(client: Client, withinMs: number): Promise<void> {
  const until = realClock.monotonic() + withinMs;
  for (;;) {
    const { items } = await client.list(NODES);
    const late = items.filter(({ status }) => conditionOf(status?.conditions, 'Ready')?.status !== 'True');
    if (late.length === 0) return;
    if (realClock.monotonic() > until) throw new Error(`${late.length} of ${items.length} nodes are not ready`);
    await realClock.sleep(100);
  }
}
