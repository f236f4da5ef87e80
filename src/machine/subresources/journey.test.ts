import { afterEach, beforeEach, expect, it } from 'vitest';
import { seededRandom } from '../../base/random.ts';
import { kubevirt } from '../../dialects/kubevirt.ts';
import type { ExtensionRequest } from '../../kube/api-extension.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../kube/kinds/rbac.ts';
import { silentRecorder } from '../../runtime/events/event-recorder.ts';
import { type MachineWorld, startMachineWorld } from '../../testing/machine-world.ts';
import { subresourceExtensions } from './extension.ts';
import { SUBRESOURCE_RULES } from './rules.ts';

const OPERATOR = 'system:serviceaccount:vimana-system:vimana-operator';
let world: MachineWorld;
let ask: (what: string, body?: object) => Promise<unknown>;

beforeEach(async () => {
  world = await startMachineWorld();
  const name = 'subresources';
  await world.admin.create(CLUSTER_ROLES, { metadata: { name }, rules: SUBRESOURCE_RULES });
  await world.admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name: OPERATOR }],
  });
  const [extension] = subresourceExtensions({
    client: world.operator,
    dialects: [kubevirt],
    random: seededRandom('journey'),
    events: silentRecorder,
  });
  ask = async (what, body = {}) => {
    const [resource = '', machine = '', subresource = ''] = what.split('/');
    const request = { resource, name: machine, subresource, namespace: 'default', user: { name: 'alice', groups: [] } };
    const sent = async () => Buffer.from(JSON.stringify(body));
    return await extension?.handle({ ...request, body: sent } as unknown as ExtensionRequest);
  };
  world.control();
});
afterEach(async () => await world.stop());

it('a machine is started standing still, let go, restarted and stopped, as its controller understands it', async () => {
  await world.make('web', { running: false });
  await ask('virtualmachines/web/start', { paused: true });
  const first = await world.until(() => world.instance('web'));
  expect(first.spec.startStrategy).toBe('Paused');
  await world.phase('web', 'Running', { conditions: [{ type: 'Paused', status: 'True' }] });
  await world.until(async () => (await world.vm('web')).status?.printableStatus === 'Paused');
  expect((await world.vm('web')).status?.stateChangeRequests).toBeUndefined();

  await ask('virtualmachineinstances/web/unpause');
  expect((await world.instance('web'))?.metadata.annotations?.['vimana.io/paused']).toBe('false');
  await world.phase('web', 'Running', { conditions: [] });
  await world.until(async () => (await world.vm('web')).status?.printableStatus === 'Running');

  await ask('virtualmachines/web/restart', { gracePeriodSeconds: 0 });
  const going = await world.until(async () => {
    const instance = await world.instance('web');
    return instance?.metadata.deletionTimestamp === undefined ? undefined : instance;
  });
  expect(going.spec.terminationGracePeriodSeconds).toBe(0);
  await world.finish('web');
  const second = await world.until(async () => {
    const instance = await world.instance('web');
    return instance?.metadata.uid === first.metadata.uid ? undefined : instance;
  });
  expect(second.spec.startStrategy).toBeUndefined();
  await world.phase('web', 'Running');

  await ask('virtualmachines/web/stop');
  await world.until(async () => (await world.instance('web'))?.metadata.deletionTimestamp !== undefined);
  await world.finish('web');
  await world.until(async () => (await world.vm('web')).status?.printableStatus === 'Stopped');
  expect((await world.vm('web')).spec.running).toBe(false);
});
