import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandWorld, startCommandWorld } from '../../testing/command-world.ts';

let world: CommandWorld;
beforeAll(async () => {
  world = await startCommandWorld();
  const body = {
    apiVersion: 'hypersdk.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: { name: 'old' },
    spec: { cpus: 1, memory: '1Gi', running: true },
  };
  await world.admin.request({ method: 'POST', path: PATH, body });
});
afterAll(() => world.stop());

const PATH = '/apis/hypersdk.io/v1alpha1/namespaces/default/virtualmachines';

it.each(['start', 'stop', 'restart', 'pause', 'unpause', 'migrate'])(
  'refuses to %s a machine of a group that nothing acts on yet, and changes nothing',
  async (verb) => {
    expect(await world.run(['vm', verb, 'old'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(`error: vm ${verb} of a machine of hypersdk.io is not supported yet`),
    });
    const { body } = await world.admin.request({ method: 'GET', path: `${PATH}/old` });
    expect(body).toMatchObject({ spec: { running: true }, metadata: { generation: 1 } });
  },
);
