import { describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { vmTypes } from './vm-kinds.ts';

/** Creates a cluster that serves these resources. */
function serving(resources: Readonly<Record<string, readonly string[]>>): Client {
  const raw = async (path: string) => {
    if (path === '/apis') return JSON.stringify({ groups: Object.keys(resources).map((name) => ({ name })) });
    const names = resources[path.split('/')[2] ?? ''] ?? [];
    return JSON.stringify({ resources: names.map((name) => ({ name })) });
  };
  return { raw } as unknown as Client;
}
const groups = async (client: Client, group?: string) => (await vmTypes(client, group)).map((type) => type.group);

describe('the VM kinds that a cluster serves', () => {
  const some = serving({
    apps: ['deployments'],
    'kubevirt.io': ['virtualmachineinstances', 'virtualmachineinstances/status'],
    'simulation.node-classifier.io': ['virtualmachines'],
    'hypersdk.io': ['virtualmachines'],
  });

  it('are those of groups with a VirtualMachine', async () => {
    expect((await groups(some)).sort()).toEqual(['hypersdk.io', 'simulation.node-classifier.io']);
    expect(await groups(some, 'hypersdk.io')).toEqual(['hypersdk.io']);
    await expect(groups(some, 'kubevirt.io')).rejects.toThrow(
      'does not serve VirtualMachines of the group kubevirt.io',
    );
    await expect(groups(serving({}))).rejects.toThrow('does not serve VirtualMachines of any group');
  });
});
