import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { DEPLOYMENTS, REPLICA_SETS } from '#platform/kube/kinds/workloads';
import { runnable } from '#platform/runtime/controller';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { replicaSetController } from '../replicas/controller.ts';
import { deploymentController } from './controller.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  const parts = controllerDeps(cluster, 'deployment-controller');
  const sets = { ...controllerDeps(cluster, 'replicaset-controller'), informers: parts.informers };
  recorded.length = 0;
  cluster.run(
    manager('test', [
      parts.informers,
      runnable(replicaSetController(), { ...sets, events }),
      runnable(deploymentController(), { ...parts, events }),
    ]),
  );
});
afterEach(() => cluster.stop());

const recorded: string[] = [];
const events: EventRecorder = {
  event: ({ kind }, type, reason, message) => recorded.push(`${kind} ${type} ${reason} ${message}`),
};
const namespace = 'default';
const labels = { app: 'web' };
const image = (tag: string) => `registry.example.com/app:${tag}`;
const make = (spec: object = {}) =>
  admin.create(DEPLOYMENTS, {
    metadata: { name: 'web', namespace, annotations: { note: 'mine' } },
    spec: {
      replicas: 4,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: image('1') }] } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      ...spec,
    },
  });
const change = (spec: object) => admin.patch(DEPLOYMENTS, 'web', { type: 'merge', body: { spec } }, { namespace });
const setImage = (tag: string) => change({ template: { spec: { containers: [{ name: 'main', image: image(tag) }] } } });
const deployment = () => admin.get(DEPLOYMENTS, 'web', { namespace });
const sets = async () => (await admin.list(REPLICA_SETS, { namespace })).items;
const pods = async () => (await admin.list(PODS, { namespace })).items;

/** Acts as the kubelets: new pods become ready and terminating ones are deleted. */
async function play(): Promise<void> {
  for (const { metadata, status } of await pods()) {
    const name = metadata.name ?? '';
    if (metadata.deletionTimestamp !== undefined) await admin.delete(PODS, name, { namespace, gracePeriodSeconds: 0 });
    else if (status?.phase !== 'Running') {
      const body = {
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' }],
        },
      };
      await admin.patch(PODS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
    }
  }
}
const rolledOut = (tag: string) =>
  cluster.until(async () => {
    await play();
    const { status, spec } = await deployment();
    const done = status?.conditions?.find(({ type }) => type === 'Progressing')?.reason === 'NewReplicaSetAvailable';
    const whole = status?.updatedReplicas === spec.replicas && status?.replicas === spec.replicas;
    return done && whole && (await pods()).every((pod) => pod.spec.containers[0]?.image === image(tag));
  });

describe('a deployment', () => {
  it('rolls out its template with its own ReplicaSet', async () => {
    await make();
    await rolledOut('1');
    const [set] = await sets();
    expect(set?.metadata.name).toBe(`web-${set?.metadata.labels?.['pod-template-hash']}`);
    expect(set?.metadata.annotations).toMatchObject({ note: 'mine', 'deployment.kubernetes.io/revision': '1' });
    expect((await deployment()).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
    expect((await deployment()).status).toMatchObject({ replicas: 4, availableReplicas: 4, updatedReplicas: 4 });
  });

  it('rolls out a new template with neither too few nor too many pods, and rolls back to its old ReplicaSet', async () => {
    await make();
    await rolledOut('1');
    await setImage('2');
    let max = 0;
    let min = 4;
    await cluster.until(async () => {
      const running = (await pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      max = Math.max(max, running.length);
      min = Math.min(min, running.filter(({ status }) => status?.phase === 'Running').length);
      await play();
      const all = await pods();
      return all.length === 4 && all.every(({ spec }) => spec.containers[0]?.image === image('2'));
    });
    expect([max, min]).toEqual([5, 3]);
    await rolledOut('2');
    expect((await sets()).map(({ spec }) => spec.replicas).toSorted((a = 0, b = 0) => a - b)).toEqual([0, 4]);
    await setImage('1');
    await rolledOut('1');
    expect(await sets()).toHaveLength(2);
    expect((await deployment()).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  it('scales its pods up and down', async () => {
    await make();
    await rolledOut('1');
    await change({ replicas: 6 });
    await cluster.until(async () => {
      await play();
      return (await deployment()).status?.availableReplicas === 6;
    });
    await change({ replicas: 1 });
    await cluster.until(async () => {
      await play();
      return (await pods()).length === 1;
    });
    const [set, ...others] = await sets();
    expect(others).toEqual([]);
    const scaled = (how: string) => `Deployment Normal ScalingReplicaSet Scaled ${how}`;
    const { name } = set?.metadata ?? {};
    expect(recorded.filter((text) => text.startsWith('Deployment'))).toEqual([
      scaled(`up replica set ${name} from 0 to 4`),
      scaled(`up replica set ${name} from 4 to 6`),
      scaled(`down replica set ${name} from 6 to 1`),
    ]);
    const [pod] = await pods();
    expect(recorded).toContain(`ReplicaSet Normal SuccessfulCreate Created pod: ${pod?.metadata.name}`);
    expect(recorded.filter((text) => text.startsWith('ReplicaSet Normal SuccessfulDelete'))).toHaveLength(5);
  });

  it('with the strategy Recreate deletes its old pods before it creates new ones', async () => {
    await make({ replicas: 2, strategy: { type: 'Recreate', rollingUpdate: null } });
    await rolledOut('1');
    await setImage('2');
    let mixed = false;
    await cluster.until(async () => {
      const images = new Set((await pods()).map(({ spec }) => spec.containers[0]?.image));
      mixed ||= images.size > 1;
      await play();
      return images.has(image('2')) && images.size === 1;
    });
    await rolledOut('2');
    expect(mixed).toBe(false);
  });

  it('that is paused scales but does not roll out until it is resumed', async () => {
    await make({ replicas: 2 });
    await rolledOut('1');
    await change({ paused: true });
    await setImage('2');
    await change({ replicas: 3 });
    await cluster.until(async () => {
      await play();
      return (await pods()).length === 3;
    });
    expect(await sets()).toHaveLength(1);
    await change({ paused: false });
    await rolledOut('2');
  });

  it('keeps a limited number of old ReplicaSets', async () => {
    await make({ replicas: 1, revisionHistoryLimit: 1 });
    for (const tag of ['1', '2', '3']) {
      await setImage(tag);
      await rolledOut(tag);
    }
    await cluster.until(async () => (await sets()).length === 2);
  });

  it('reports when a rollout makes no progress', async () => {
    await make({ replicas: 1, progressDeadlineSeconds: 60 });
    await cluster.until(async () => (await pods()).length === 1);
    await cluster.clock.advance(70_000);
    await cluster.until(async () => {
      const { status } = await deployment();
      return status?.conditions?.find(({ type }) => type === 'Progressing')?.reason === 'ProgressDeadlineExceeded';
    });
    await rolledOut('1');
  });
});
