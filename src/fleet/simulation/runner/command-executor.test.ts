import { describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { Command } from '../engine/command.ts';
import { CommandExecutor, type CommandExecutorDeps } from './command-executor.ts';

/** Executes commands, and returns every write, every failure, and the VMs that exist afterwards. */
async function execute(commands: readonly Command[], error?: KubeError, owner?: CommandExecutorDeps['owner']) {
  const writes: unknown[] = [];
  const failures: string[] = [];
  const vms = new Set(['old']);
  const write =
    (verb: string) =>
    (type: { plural: string }, ...rest: unknown[]) => {
      writes.push([verb, type.plural, ...rest]);
      return error === undefined ? Promise.resolve({}) : Promise.reject(error);
    };
  const client = { create: write('create'), delete: write('delete'), patch: write('patch') } as unknown as Client;
  const executor = new CommandExecutor({
    client,
    namespace: 'team',
    scenario: 'peak',
    vms,
    groups: { grow: async (...args) => void writes.push(['grow', ...args]) },
    migrator: {
      move: (...args: unknown[]) => void writes.push(['move', ...args]),
    } as unknown as CommandExecutorDeps['migrator'],
    onFailure: (what) => void failures.push(what),
    ...(owner === undefined ? {} : { owner }),
  });
  await executor.all(commands);
  return { writes, failures, vms: [...vms] };
}

const FREEZE = 'vimana.io/freeze';
const frozen = (value: string | null) => ({
  type: 'merge',
  body: { metadata: { annotations: { [FREEZE]: value } } },
});
const newVm = { name: 'web-1', labels: { app: 'web' }, resources: { cpu: '1', memory: '2Gi' } };

describe('a command', () => {
  it.each<[Command, unknown[]]>([
    [{ do: 'delete', vm: 'old' }, [['delete', 'virtualmachines', 'old', { namespace: 'team' }]]],
    [
      { do: 'load', vm: 'old', use: { cpu: 0.5, memory: 0.25 } },
      [
        [
          'patch',
          'virtualmachines',
          'old',
          { type: 'merge', body: { spec: { utilization: { cpu: '0.5', memory: '0.25' } } } },
          { namespace: 'team' },
        ],
      ],
    ],
    [{ do: 'migrate', vm: 'old', target: 'n2' }, [['move', 'old', 'n2', 'scenario']]],
    [{ do: 'addNodes', group: 'rack', total: 5 }, [['grow', 'rack', 5]]],
    [
      { do: 'removeNodes', nodes: ['n1', 'n2'] },
      [
        ['delete', 'nodes', 'n1'],
        ['delete', 'nodes', 'n2'],
      ],
    ],
    [{ do: 'failNodes', nodes: ['n1'] }, [['patch', 'nodes', 'n1', frozen('true')]]],
    [{ do: 'recoverNodes', nodes: ['n1'] }, [['patch', 'nodes', 'n1', frozen(null)]]],
    [{ do: 'pause' }, []],
  ])('%j is executed on the cluster', async (command, expected) => {
    const { writes, failures } = await execute([command]);
    expect([writes, failures]).toEqual([expected, []]);
  });

  it('creates a VM that belongs to its scenario, with only the fields that it has', async () => {
    const { writes, vms } = await execute([{ do: 'create', newVm }]);
    expect(writes).toMatchObject([
      ['create', 'virtualmachines', { metadata: { name: 'web-1', namespace: 'team', labels: { app: 'web' } } }],
    ]);
    const [[, , object]] = writes as [[string, string, { spec: object; metadata: object }]];
    expect(object.spec).toEqual({ resources: newVm.resources });
    expect(object.metadata).not.toHaveProperty('ownerReferences');
    expect(vms).toEqual(['old', 'web-1']);
  });

  it('creates a VM with its usage, dirty rate and owner', async () => {
    const owner = { apiVersion: 'v1', kind: 'S', name: 'peak', uid: 'u' };
    const full = { ...newVm, use: { cpu: 1, memory: 0.5 }, dirtyRateMbps: 7 };
    const { writes } = await execute([{ do: 'create', newVm: full }], undefined, owner);
    expect(writes).toMatchObject([
      [
        'create',
        'virtualmachines',
        {
          metadata: { ownerReferences: [owner] },
          spec: { utilization: { cpu: '1', memory: '0.5' }, migration: { dirtyRateMbps: 7 } },
        },
      ],
    ]);
  });

  it('that deletes a VM forgets it', async () => {
    expect((await execute([{ do: 'delete', vm: 'old' }])).vms).toEqual([]);
  });

  const all: readonly Command[] = [
    { do: 'create', newVm },
    { do: 'delete', vm: 'old' },
    { do: 'load', vm: 'old', use: { cpu: 1, memory: 1 } },
    { do: 'removeNodes', nodes: ['n1', 'n2'] },
    { do: 'failNodes', nodes: ['n3'] },
  ];

  it('that fails is reported by name, and the others are executed', async () => {
    const { failures, writes } = await execute(all, new KubeError(403, 'Forbidden', 'no'));
    expect(failures.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'create web-1',
      'delete old',
      'failNodes n3',
      'load old',
      'removeNodes n1 n2',
    ]);
    expect(writes).toHaveLength(all.length);
  });

  it('on an object that no longer exists succeeds', async () => {
    expect((await execute(all.slice(1), new KubeError(404, 'NotFound', 'gone'))).failures).toEqual([]);
  });
});
