import type { Command } from 'commander';
import { type VirtualMachine, virtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import type { ResourceType } from '../../kube/client.ts';
import { resourceOfKind } from '../../kube/kinds/machines.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { connected } from '../connection.ts';
import type { CarbonCommandParts } from './command.ts';

export type Machine = VirtualMachine & KubeObject;

const MACHINES = resourceOfKind(virtualMachine) as unknown as ResourceType<Machine>;

/** The machines of hypersdk.io, of one namespace or of all, in order of their names. */
export async function machinesOf({ connect }: CarbonCommandParts, command: Command): Promise<readonly Machine[]> {
  const { allNamespaces = false } = command.optsWithGlobals<{ readonly allNamespaces?: boolean }>();
  return await connected(connect, command, async ({ client, namespace }) => {
    const { items } = await client.list(MACHINES, allNamespaces ? {} : { namespace });
    const order = ({ metadata }: Machine) => `${metadata.namespace}/${metadata.name}`;
    return items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  });
}
