import type { Command } from 'commander';
import { HYPERSDK_VMS, type HypersdkVm } from '#api/hypersdk/resources';
import { withConnection } from '../connection.ts';
import type { CarbonCommandDeps } from './command.ts';

/** Lists the VMs of hypersdk.io in one namespace or in all, sorted by name. */
export async function vmsOf({ connect }: CarbonCommandDeps, command: Command): Promise<readonly HypersdkVm[]> {
  const { allNamespaces = false } = command.optsWithGlobals<{ readonly allNamespaces?: boolean }>();
  return await withConnection(connect, command, async ({ client, namespace }) => {
    const { items } = await client.list(HYPERSDK_VMS, allNamespaces ? {} : { namespace });
    const order = ({ metadata }: HypersdkVm) => `${metadata.namespace}/${metadata.name}`;
    return items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  });
}
