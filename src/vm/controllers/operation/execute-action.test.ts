import { describe, expect, it } from 'vitest';
import { virtualMachine } from '#api/kubevirt/virtual-machine';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { PowerEdit } from '#vm/engine/dialect';
import { instanceLike } from '#vm/engine/instance.fixture';
import { executeAction, OPERATION_FIELD_MANAGER } from './execute-action.ts';
import type { WriteAction } from './operation-handler.ts';
import type { ActiveOperationView } from './operation-view.ts';

const vm = { metadata: { name: 'web', namespace: 'default', uid: 'v1', resourceVersion: '7' }, spec: {} };
const instance = instanceLike({});

/** Executes an action on a VM, and returns the writes and the options that the dialect was given. */
async function execute(
  action: WriteAction,
  { edit = { spec: { runStrategy: 'Halted' } }, error }: { edit?: PowerEdit; error?: KubeError } = {},
) {
  const requested: unknown[] = [];
  const writes: unknown[] = [];
  const write = (verb: string) => (type: { plural: string }, name: string, body: unknown, options: unknown) => {
    writes.push([verb, type.plural, name, body, options]);
    return error === undefined ? Promise.resolve(vm) : Promise.reject(error);
  };
  const client = { patch: write('patch'), delete: write('delete') } as unknown as Client;
  const dialect = {
    kind: virtualMachine,
    power: (_vm: unknown, verb: string, _instance: unknown, options: unknown) => {
      requested.push([verb, options]);
      return edit;
    },
  };
  const view = {
    vm,
    dialect,
    instance,
    ref: { namespace: 'default' },
    operation: {},
  } as unknown as ActiveOperationView;
  await executeAction(action, view, { client }, () => {});
  return { requested, writes };
}

const power = (action: 'start' | 'stop' | 'restart', force: boolean): WriteAction => ({
  do: 'power',
  action,
  force,
});
const options = { namespace: 'default', fieldManager: OPERATION_FIELD_MANAGER };

describe('the grace period', () => {
  it.each([
    ['stop', true, { gracePeriodSeconds: 0 }],
    ['stop', false, {}],
    ['restart', true, {}],
    ['start', true, {}],
  ] as const)('of a %s with force %s is requested from the dialect as %j', async (action, force, expected) => {
    expect((await execute(power(action, force))).requested).toEqual([[action, expected]]);
  });

  it.each([
    ['stop', true, []],
    ['start', true, []],
    ['restart', false, []],
    ['restart', true, [{ spec: { terminationGracePeriodSeconds: 0 } }]],
  ] as const)('of an instance is written for a %s with force %s: %j', async (action, force, bodies) => {
    const { writes } = await execute(power(action, force));
    const patches = (writes as [string, string, string, { body: unknown }][]).filter(
      ([, plural]) => plural === 'virtualmachineinstances',
    );
    expect(patches.map(([, , , { body }]) => body)).toEqual(bodies);
  });

  it('is 0 after a forced stop, of exactly the instance that was seen', async () => {
    const { name, uid } = instance.metadata;
    const body = { metadata: { uid }, spec: { terminationGracePeriodSeconds: 0 } };
    expect((await execute({ do: 'force stop' })).writes).toEqual([
      ['patch', 'virtualmachineinstances', name, { type: 'merge', body }, options],
    ]);
  });
});

it('an action that conflicts with the state of the VM writes nothing', async () => {
  expect((await execute(power('stop', false), { edit: { conflict: 'VM is not running' } })).writes).toEqual([]);
});

it('a patch applies only to the VM that was read', async () => {
  const { writes } = await execute({ do: 'patch VM', body: { metadata: { labels: { a: 'b' } }, spec: { x: 1 } } });
  expect(writes).toEqual([
    [
      'patch',
      'virtualmachines',
      'web',
      {
        type: 'merge',
        body: { metadata: { labels: { a: 'b' }, uid: 'v1', resourceVersion: '7' }, spec: { x: 1 } },
      },
      options,
    ],
  ]);
});

describe('the deletion of an object', () => {
  const remove = (error: KubeError) =>
    execute({ do: 'remove', type: { plural: 'pods' }, name: 'p', uid: 'u' } as unknown as WriteAction, { error });

  it.each([
    [404, 'NotFound'],
    [409, 'Conflict'],
  ])('succeeds if it no longer exists, or another has its name: %d', async (code, reason) => {
    expect((await remove(new KubeError(code, reason, 'm'))).writes).toEqual([
      ['delete', 'pods', 'p', { namespace: 'default', preconditions: { uid: 'u' } }, undefined],
    ]);
  });

  it('fails if the server rejects it', async () => {
    await expect(remove(new KubeError(403, 'Forbidden', 'no'))).rejects.toThrow('no');
  });
});
