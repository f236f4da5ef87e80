import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crdOf } from '../src/api/crd.ts';
import { virtualMachineInstance } from '../src/api/kubevirt/group.ts';
import { type NewDefinition, type Plane, startPlane } from '../src/apiserver/custom/plane.fixture.ts';
import { type Kubectl, kubectlFor } from '../src/apiserver/http/kubectl.fixture.ts';
import { realClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { seededRandom } from '../src/base/random.ts';
import { SERVICE_ACCOUNTS } from '../src/kube/kinds/core.ts';
import { PODS } from '../src/kube/kinds/pod.ts';
import type { NodeRuntime } from '../src/kube/node-runtime.ts';
import { Fleet } from '../src/node/simulated/fleet.ts';
import { Informers } from '../src/runtime/informers.ts';
import { manager } from '../src/runtime/manager.ts';
import { hasKubectl } from '../src/testing/programs.ts';

const NODE = { name: 'node', groups: ['system:masters', 'system:authenticated'] };
const namespace = 'default';

/** What nodes of ours know of their pods is had through the API server, as from kubelets and a metrics server. */
describe.skipIf(!hasKubectl())('kubectl, of pods on simulated nodes', () => {
  const stop = new AbortController();
  let plane: Plane;
  let kubectl: Kubectl;
  let running: Promise<void>;

  beforeAll(async () => {
    let fleet: Fleet | undefined;
    const logs: NodeRuntime = { logs: (request) => fleet?.logs(request) };
    plane = await startPlane({
      insecure: false,
      nodeRuntime: logs,
      extensions: (clientFor) => {
        const shared = {
          client: clientFor(NODE, 'node'),
          clock: realClock,
          random: seededRandom('x'),
          log: silentLogger,
        };
        const informers = new Informers(shared);
        fleet = new Fleet({ ...shared, informers }, { pools: [{ count: 2 }] });
        const runnables = [informers, fleet];
        start = () => manager('test', runnables).run(stop.signal);
        return [fleet.metrics()];
      },
    });
    await plane.define(crdOf(virtualMachineInstance) as unknown as NewDefinition);
    running = start();
    kubectl = kubectlFor(plane.plane);
    await plane.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace } });
    const resources = { requests: { cpu: '500m', memory: '256Mi' } };
    const spec = {
      nodeName: 'kwok-node-1',
      containers: [{ name: 'c', image: 'registry.example.com/app:1', resources }],
    };
    const annotations = { 'kubevirt.io/vm-cpu-consumption': '0.5' };
    await plane.client.create(PODS, { metadata: { name: 'web', namespace, annotations }, spec });
    await plane.until(async () => (await plane.client.get(PODS, 'web', { namespace })).status?.phase === 'Running');
  });
  afterAll(async () => {
    stop.abort();
    await running;
    kubectl.close();
    await plane.plane.stop();
  });

  let start: () => Promise<void> = async () => {};

  it('shows what nodes and pods use', async () => {
    const nodes = await kubectl.run('top', 'nodes');
    expect(nodes, nodes.err).toMatchObject({ code: 0 });
    expect(nodes.out).toMatch(/^kwok-node-1 +\d+m +\d+% +\d+Mi +\d+%/m);
    expect(nodes.out).toMatch(/^kwok-node-2 +0m +0% +0Mi +0%/m);
    const pods = await kubectl.run('top', 'pods', '--containers');
    expect(pods.out, pods.err).toMatch(/^web +c +[1-9]\d*m +\d+Mi/m);
    expect((await kubectl.run('top', 'pod', 'web', '--no-headers')).out).toMatch(/^web +/);
    expect((await kubectl.run('top', 'pods', '-l', 'app=other')).err).toContain('No resources found');
  });

  it('shows what a container said, or why it says nothing', async () => {
    expect(await kubectl.run('logs', 'web')).toMatchObject({ code: 0 });
    expect((await kubectl.run('logs', 'web', '-c', 'other')).err).toContain('container other is not valid for pod web');
    expect((await kubectl.run('logs', 'none')).err).toContain('pods "none" not found');
  });
});
