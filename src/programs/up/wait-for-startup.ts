import { VMS } from '#api/kubevirt/resources';
import type { Client, WatchEvent } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { NODES } from '#platform/kube/kinds/node';
import { isAlreadyExists } from '#platform/kube/kube-error';
import { demoFleet } from './demo-fleet.ts';
import type { StartupProgress } from './startup-progress.ts';

export interface StartupCheck {
  readonly client: Client;
  readonly progress: StartupProgress;
  /** Nodes to wait for. */
  readonly nodes: readonly string[];
  readonly demo: boolean;
  readonly signal: AbortSignal;
}

/** Waits for the nodes, and creates the demo fleet if it is requested. Throws if the signal is aborted. */
export async function waitForStartup({ client, progress, nodes, demo, signal }: StartupCheck): Promise<void> {
  if (nodes.length > 0) {
    await progress.step(
      'nodes',
      async (say) => {
        const changes = client.watch(NODES, { signal });
        await all(changes, nodes, isReady, (count) => say(`${count} of ${nodes.length} ready`));
        signal.throwIfAborted();
      },
      () => `${nodes.length} ready`,
    );
  }
  if (!demo) return;
  const namespace = 'default';
  const machines = demoFleet(namespace);
  await progress.step(
    'demo fleet',
    async (say) => {
      for (const machine of machines) {
        signal.throwIfAborted();
        await client.create(VMS, machine as never, { namespace }).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      }
      const names = machines.map(({ metadata }) => metadata.name ?? '');
      const changes = client.watch(VMS, { namespace, signal });
      await all(changes, names, isRunning, (count) => say(`${count} of ${names.length} running`));
      signal.throwIfAborted();
    },
    () => `${machines.length} VMs running`,
  );
}

const isReady = ({ status }: { readonly status?: { readonly conditions?: readonly [] } }) =>
  conditionOf(status?.conditions, 'Ready')?.status === 'True';

const isRunning = ({ status }: { readonly status?: { readonly printableStatus?: string } }) =>
  status?.printableStatus === 'Running';

/** Watches until each of some objects has been seen ready, or the watch ends. */
async function all(
  changes: AsyncIterable<WatchEvent>,
  names: readonly string[],
  isGood: (object: object) => boolean,
  onMore: (count: number) => void,
): Promise<void> {
  const missing = new Set(names);
  for await (const { type, object } of changes) {
    if (type !== 'BOOKMARK' && isGood(object) && missing.delete(object.metadata.name ?? '')) {
      onMore(names.length - missing.size);
    }
    if (missing.size === 0) return;
  }
}
