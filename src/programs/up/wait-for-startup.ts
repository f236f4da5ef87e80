import type { VirtualMachineInput } from '#api/kubevirt/group';
import { VMS } from '#api/kubevirt/resources';
import type { Client, WatchEvent } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { NODES } from '#platform/kube/kinds/node';
import { isAlreadyExists } from '#platform/kube/kube-error';
import { DEMO_NAMESPACE as namespace } from './demo-fleet.ts';
import type { StartupProgress } from './startup-progress.ts';

export interface StartupCheck {
  readonly client: Client;
  readonly progress: StartupProgress;
  /** Nodes to wait for. */
  readonly nodes: readonly string[];
  /** VMs of the demo fleet to create, if any. */
  readonly demo: readonly VirtualMachineInput[];
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
  if (demo.length === 0) return;
  let count = 0;
  await progress.step(
    'demo fleet',
    async (say) => {
      const names: string[] = [];
      for (const machine of demo) {
        signal.throwIfAborted();
        // A VM of an earlier start may have been stopped, and is left as it is.
        if (await createUnlessPresent(client, machine)) names.push(machine.metadata.name ?? '');
      }
      count = names.length;
      if (count === 0) return;
      const changes = client.watch(VMS, { namespace, signal });
      await all(changes, names, isRunning, (running) => say(`${running} of ${names.length} running`));
      signal.throwIfAborted();
    },
    () => (count === 0 ? 'already exists' : `${count} VMs running`),
  );
}

async function createUnlessPresent(client: Client, vm: VirtualMachineInput): Promise<boolean> {
  try {
    await client.create(VMS, vm as never, { namespace });
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return false;
  }
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
