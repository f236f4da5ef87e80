import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualMachineInstance } from '#api/kubevirt/group';
import { type NewDefinition, openPlane, type Plane } from '#control-plane/apiserver/apiextensions/plane.fixture';
import { type Kubectl, kubectlFor } from '#control-plane/apiserver/http/kubectl.fixture';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { crdOf } from '#platform/schema/crd';
import { vmPlugins } from '#programs/embedded/vm-plugins';
import { hasKubectl } from '#testing/programs';
import { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';

const NODE = { name: 'node', groups: ['system:masters', 'system:authenticated'] };
const namespace = 'default';

/** The API server returns what our nodes know of their pods, like kubelets and a metrics server. */
describe.skipIf(!hasKubectl())('kubectl with pods on simulated nodes', () => {
  const stop = new AbortController();
  let plane: Plane;
  let kubectl: Kubectl;
  let running: Promise<void>;

  beforeAll(async () => {
    const { opened, serve } = await openPlane({ insecure: false });
    const shared = {
      client: opened.client(NODE, 'node'),
      clock: realClock,
      random: seededRandom('x'),
      log: noopLogger,
    };
    const informers = new Informers(shared);
    const fleet = new SimulatedFleet({ ...shared, informers }, { pools: [{ count: 2 }] });
    plane = await serve({ plugins: vmPlugins(), nodeRuntime: fleet.runtime, extensions: [fleet.metrics()] });
    await plane.define(crdOf(virtualMachineInstance) as unknown as NewDefinition);
    running = manager('test', [informers, fleet]).run(stop.signal);
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

  it('shows the usage of nodes and pods', async () => {
    const nodes = await kubectl.run('top', 'nodes');
    expect(nodes, nodes.err).toMatchObject({ code: 0 });
    expect(nodes.out).toMatch(/^kwok-node-1 +\d+m +\d+% +\d+Mi +\d+%/m);
    expect(nodes.out).toMatch(/^kwok-node-2 +0m +0% +0Mi +0%/m);
    const pods = await kubectl.run('top', 'pods', '--containers');
    expect(pods.out, pods.err).toMatch(/^web +c +[1-9]\d*m +\d+Mi/m);
    expect((await kubectl.run('top', 'pod', 'web', '--no-headers')).out).toMatch(/^web +/);
    expect((await kubectl.run('top', 'pods', '-l', 'app=other')).err).toContain('No resources found');
  });

  it('shows the log of a container, or why there is none', async () => {
    expect(await kubectl.run('logs', 'web')).toMatchObject({ code: 0 });
    expect((await kubectl.run('logs', 'web', '-c', 'other')).err).toContain('container other is not valid for pod web');
    expect((await kubectl.run('logs', 'none')).err).toContain('pods "none" not found');
  });
});
