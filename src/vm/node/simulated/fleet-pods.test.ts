import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import type { LogRequest } from '#platform/kube/node-runtime';
import type { Cluster } from '#testing/cluster';
import { type FleetHarness, fleetHarness, IMAGE, namespace } from '#testing/fleet-harness';
import type { ContainerStatus } from '../pod/container-status.ts';
import type { SimulatedFleet } from './simulated-fleet.ts';

let harness: FleetHarness;
let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  harness = await fleetHarness();
  ({ cluster, admin } = harness);
});
afterEach(() => cluster.stop());

const isIn = (phase: string) => (pod: Pod) => pod.status?.phase === phase;
const statuses = ({ status }: Pod) => (status?.containerStatuses ?? []) as readonly ContainerStatus[];
const first = (pod: Pod) => statuses(pod)[0];
const waiting = (reason: string) => (pod: Pod) => first(pod)?.state?.waiting?.reason === reason;
const holds = ({ status }: Pod, type: string) => conditionOf(status?.conditions, type)?.status;

describe('a pod on a simulated node', () => {
  it('runs at once, with one write', async () => {
    harness.start();
    await cluster.settle();
    harness.writes.length = 0;
    await harness.makePod('p');
    const pod = await harness.untilPod('p', isIn('Running'));
    expect(harness.writes).toEqual(['update pods/status p']);
    expect(pod.status).toMatchObject({
      podIP: '10.245.0.1',
      podIPs: [{ ip: '10.245.0.1' }],
      hostIP: '10.246.0.1',
      hostIPs: [{ ip: '10.246.0.1' }],
      startTime: '2030-01-01T00:00:00Z',
      containerStatuses: [
        { name: 'main', ready: true, started: true, restartCount: 0, image: IMAGE, state: { running: {} } },
      ],
    });
    for (const type of ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready']) {
      expect(holds(pod, type)).toBe('True');
    }
  });

  it('has its own address, which is reused only after its deletion', async () => {
    harness.start({ podRange: '10.245.0.0/30' });
    await harness.makePod('a');
    await harness.makePod('b');
    await harness.makePod('net', { spec: { hostNetwork: true } });
    const addresses = await Promise.all(
      ['a', 'b', 'net'].map(async (name) => (await harness.untilPod(name, isIn('Running'))).status?.['podIP']),
    );
    expect(addresses).toEqual(['10.245.0.1', '10.245.0.2', '10.246.0.1']);
    await harness.makePod('c');
    await cluster.clock.advance(4_000);
    expect((await harness.pod('c')).status?.phase).toBe('Pending');
    await admin.delete(PODS, 'a', { namespace });
    await harness.untilPodGone('a');
    await cluster.clock.advance(5_000);
    expect((await harness.untilPod('c', isIn('Running'))).status?.['podIP']).toBe('10.245.0.1');
  });

  it('runs its init containers to completion, and sidecars permanently', async () => {
    harness.start();
    const initContainers = [
      { name: 'first', image: IMAGE },
      { name: 'beside', image: IMAGE, restartPolicy: 'Always' },
    ];
    await harness.makePod('p', { spec: { initContainers } });
    const pod = await harness.untilPod('p', isIn('Running'));
    expect(pod.status?.['initContainerStatuses']).toMatchObject([
      { name: 'first', ready: true, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
      { name: 'beside', ready: true, started: true, state: { running: {} } },
    ]);
    await harness.makePod('job', {
      spec: { initContainers, restartPolicy: 'Never' },
      annotations: { 'vimana.io/complete-after': '5s' },
    });
    await harness.untilPod('job', isIn('Running'));
    await cluster.clock.advance(5_000);
    const done = await harness.untilPod('job', isIn('Succeeded'));
    expect(done.status?.['initContainerStatuses']).toMatchObject([
      { name: 'first', state: { terminated: { exitCode: 0 } } },
      { name: 'beside', ready: false, state: { terminated: { exitCode: 0 } } },
    ]);
  });

  it('starts after its delay, and within its bound', async () => {
    harness.start();
    const annotations = { 'vimana.io/start-delay': '10s', 'vimana.io/start-jitter': '60s' };
    const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
    for (const name of names) await harness.makePod(name, { annotations });
    const pod = await harness.untilPod('p0', waiting('ContainerCreating'));
    expect(pod.status).toMatchObject({ phase: 'Pending', startTime: '2030-01-01T00:00:00Z' });
    expect(pod.status?.['podIP']).toBeUndefined();
    const running = async () => {
      const pods = await Promise.all(names.map((name) => harness.pod(name)));
      return pods.filter(isIn('Running')).length;
    };
    await cluster.clock.advance(9_900);
    expect(await running()).toBe(0);
    await cluster.clock.advance(25_000);
    expect(await running()).toBeGreaterThan(0);
    expect(await running()).toBeLessThan(names.length);
    await cluster.clock.advance(25_200);
    expect(await running()).toBe(names.length);
  });

  it('has the defaults of the fleet', async () => {
    harness.start({ defaults: { 'vimana.io/start-delay': '5s' } });
    await harness.makePod('p');
    await harness.makePod('own', { annotations: { 'vimana.io/start-delay': '0s' } });
    await harness.untilPod('own', isIn('Running'));
    await harness.untilPod('p', waiting('ContainerCreating'));
    await cluster.clock.advance(5_000);
    await harness.untilPod('p', isIn('Running'));
  });

  it('reports an image that cannot be pulled, with increasing delays, until it can', async () => {
    harness.start();
    await harness.makePod('p', { annotations: { 'vimana.io/fail': 'image-pull', 'vimana.io/fail-times': '2' } });
    await harness.untilPod('p', waiting('ErrImagePull'));
    await cluster.clock.advance(2_000);
    await harness.untilPod('p', waiting('ImagePullBackOff'));
    await cluster.clock.advance(8_000);
    await harness.untilPod('p', waiting('ErrImagePull'));
    await cluster.clock.advance(2_000);
    await harness.untilPod('p', waiting('ImagePullBackOff'));
    await cluster.clock.advance(17_000);
    expect((await harness.pod('p')).status?.phase).toBe('Pending');
    await cluster.clock.advance(1_000);
    await harness.untilPod('p', isIn('Running'));
    expect(new Set(harness.told)).toEqual(new Set(['p Warning Failed', 'p Warning BackOff']));
  });

  it('is restarted repeatedly after crashes, as by a kubelet', async () => {
    harness.start();
    await harness.makePod('p', { annotations: { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '5s' } });
    await harness.untilPod('p', isIn('Running'));
    await cluster.clock.advance(5_000);
    const restarted = await harness.untilPod('p', (pod) => first(pod)?.restartCount === 1);
    expect(first(restarted)).toMatchObject({
      state: { running: {} },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
    await cluster.clock.advance(5_000);
    const looping = await harness.untilPod('p', waiting('CrashLoopBackOff'));
    expect(first(looping)).toMatchObject({
      ready: false,
      restartCount: 1,
      lastState: { terminated: { exitCode: 1 } },
      state: { waiting: { message: expect.stringContaining('back-off 10s restarting failed container=main') } },
    });
    expect(holds(looping, 'Ready')).toBe('False');
    await cluster.clock.advance(10_000);
    await harness.untilPod('p', (pod) => first(pod)?.restartCount === 2 && first(pod)?.state?.running !== undefined);
    await cluster.clock.advance(5_000);
    const again = await harness.untilPod('p', waiting('CrashLoopBackOff'));
    expect(first(again)?.state?.waiting?.message).toContain('back-off 20s');
    await cluster.clock.advance(3_600_000);
    expect(first(await harness.pod('p'))?.restartCount).toBeGreaterThan(10);
    expect(first(await harness.pod('p'))?.restartCount).toBeLessThan(20);
  });

  it('recovers after the requested number of failures', async () => {
    harness.start();
    const annotations = { 'vimana.io/fail': 'oom', 'vimana.io/fail-times': '1', 'vimana.io/fail-after': '1s' };
    await harness.makePod('p', { annotations });
    await harness.untilPod('p', isIn('Running'));
    await cluster.clock.advance(1_000);
    const pod = await harness.untilPod('p', (found) => first(found)?.restartCount === 1);
    expect(first(pod)?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    await cluster.clock.advance(600_000);
    expect(first(await harness.pod('p'))).toMatchObject({ restartCount: 1, state: { running: {} } });
  });

  it.each([
    ['Never', 'crash', 'Failed'],
    ['Never', undefined, 'Succeeded'],
    ['OnFailure', undefined, 'Succeeded'],
  ])('with restart policy %s terminates permanently after %s', async (restartPolicy, fail, phase) => {
    harness.start();
    const annotations: Record<string, string> =
      fail === undefined
        ? { 'vimana.io/complete-after': '30s' }
        : { 'vimana.io/fail': fail, 'vimana.io/fail-after': '30s' };
    await harness.makePod('p', { spec: { restartPolicy }, annotations });
    await harness.untilPod('p', isIn('Running'));
    await cluster.clock.advance(30_000);
    const pod = await harness.untilPod('p', isIn(phase));
    expect(first(pod)?.state?.terminated).toMatchObject({ finishedAt: '2030-01-01T00:00:30Z' });
    expect(conditionOf(pod.status?.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: `Pod${phase === 'Failed' ? 'Failed' : 'Completed'}`,
    });
    harness.writes.length = 0;
    await cluster.clock.advance(60_000);
    expect(harness.writes.filter((write) => write.includes('pods'))).toEqual([]);
    await admin.delete(PODS, 'p', { namespace });
    await harness.untilPodGone('p');
  });

  it('of a Job completes by itself', async () => {
    harness.start();
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }];
    await harness.makePod('p', { spec: { restartPolicy: 'Never' }, metadata: { ownerReferences } });
    await harness.untilPod('p', isIn('Succeeded'));
  });

  it('fails when its deadline has passed', async () => {
    harness.start();
    await harness.makePod('p', { spec: { activeDeadlineSeconds: 20 } });
    await harness.untilPod('p', isIn('Running'));
    await cluster.clock.advance(20_000);
    expect((await harness.untilPod('p', isIn('Failed'))).status?.reason).toBe('DeadlineExceeded');
  });

  it('terminates when it is finished, at the latest after its grace period', async () => {
    harness.start();
    const stop = async (name: string, duration: string) => {
      await harness.makePod(name, {
        annotations: { 'vimana.io/shutdown-duration': duration },
        metadata: { finalizers: ['example.com/held'] },
        spec: { terminationGracePeriodSeconds: 30 },
      });
      await harness.untilPod(name, isIn('Running'));
      await admin.delete(PODS, name, { namespace });
    };
    await stop('quick', '5s');
    await stop('deaf', 'never');
    await cluster.clock.advance(4_000);
    expect((await harness.pod('quick')).status?.phase).toBe('Running');
    await cluster.clock.advance(1_000);
    await harness.untilPod('quick', isIn('Succeeded'));
    expect((await harness.pod('deaf')).status?.phase).toBe('Running');
    await cluster.clock.advance(25_000);
    const deaf = await harness.untilPod('deaf', isIn('Failed'));
    expect(first(deaf)?.state?.terminated?.exitCode).toBe(137);
    for (const name of ['quick', 'deaf']) {
      await admin.patch(PODS, name, { type: 'merge', body: { metadata: { finalizers: null } } }, { namespace });
      await harness.untilPodGone(name);
    }
  });

  it('that never ran is deleted at once', async () => {
    harness.start();
    await harness.makePod('p', { annotations: { 'vimana.io/fail': 'image-pull' } });
    await harness.untilPod('p', waiting('ErrImagePull'));
    await admin.delete(PODS, 'p', { namespace });
    await harness.untilPodGone('p');
  });

  it('is ready by its probe and its readiness gates', async () => {
    harness.start();
    const containers = [
      { name: 'main', image: IMAGE, readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 5 } },
    ];
    await harness.makePod('p', { spec: { containers, readinessGates: [{ conditionType: 'example.com/go' }] } });
    expect(holds(await harness.untilPod('p', isIn('Running')), 'ContainersReady')).toBe('False');
    await cluster.clock.advance(5_000);
    const gated = await harness.untilPod('p', (pod) => holds(pod, 'ContainersReady') === 'True');
    expect(conditionOf(gated.status?.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
    });
    const go = { status: { conditions: [{ type: 'example.com/go', status: 'True' }] } };
    await admin.patch(PODS, 'p', { type: 'strategic', body: go }, { namespace, subresource: 'status' });
    await harness.untilPod('p', (pod) => holds(pod, 'Ready') === 'True');
    const annotations = { 'vimana.io/readiness': 'false' };
    await admin.patch(PODS, 'p', { type: 'merge', body: { metadata: { annotations } } }, { namespace });
    await harness.untilPod('p', (pod) => holds(pod, 'Ready') === 'False' && holds(pod, 'example.com/go') === 'True');
  });

  it('is restarted when its probe fails', async () => {
    harness.start();
    const containers = [{ name: 'main', image: IMAGE, livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 } }];
    await harness.makePod('p', { spec: { containers }, annotations: { 'vimana.io/liveness': 'false' } });
    await harness.untilPod('p', isIn('Running'));
    await cluster.clock.advance(10_000);
    await harness.untilPod('p', (pod) => first(pod)?.restartCount === 1);
  });

  it('continues when the fleet restarts', async () => {
    const { stop } = harness.start();
    const annotations = { 'vimana.io/complete-after': '60s' };
    await harness.makePod('p', { spec: { restartPolicy: 'Never' }, annotations });
    const before = await harness.untilPod('p', isIn('Running'));
    await cluster.clock.advance(30_000);
    await stop();
    harness.writes.length = 0;
    harness.start();
    await cluster.settle();
    expect((await harness.pod('p')).status).toEqual(before.status);
    await harness.makePod('q');
    expect((await harness.untilPod('q', isIn('Running'))).status?.['podIP']).not.toBe(before.status?.['podIP']);
    await cluster.clock.advance(29_000);
    expect((await harness.pod('p')).status?.phase).toBe('Running');
    await cluster.clock.advance(1_000);
    await harness.untilPod('p', isIn('Succeeded'));
  });

  it('reports a request that cannot be parsed', async () => {
    harness.start();
    await harness.makePod('p', { annotations: { 'vimana.io/start-delay': 'soon' } });
    await harness.untilPod('p', isIn('Running'));
    expect(harness.told).toContain('p Warning InvalidAnnotation');
  });

  it('on a node of another node agent is ignored', async () => {
    harness.start();
    await harness.makePod('p', { spec: { nodeName: 'another' } });
    await cluster.clock.advance(10_000);
    expect((await harness.pod('p')).status?.phase).toBe('Pending');
  });
});

describe('the log of a container', () => {
  const read = async (fleet: SimulatedFleet, pod: Pod, more: Partial<LogRequest> = {}) =>
    await fleet.runtime.logs({
      pod,
      container: 'main',
      previous: false,
      follow: false,
      signal: new AbortController().signal,
      ...more,
    });
  const textOf = (lines: Iterable<{ text: string }> | undefined) => [...(lines ?? [])].map(({ text }) => text);

  it('has logs, also of its previous run, which can be followed', async () => {
    const { fleet } = harness.start();
    const annotations = { 'vimana.io/fail': 'crash', 'vimana.io/fail-times': '1', 'vimana.io/fail-after': '3s' };
    await harness.makePod('p', { annotations });
    const pod = await harness.untilPod('p', isIn('Running'));
    expect(textOf((await read(fleet, pod))?.lines as Iterable<{ text: string }>)).toEqual(['container main started']);
    expect(await read(fleet, pod, { previous: true })).toBeUndefined();
    expect(await read(fleet, pod, { container: 'other' })).toBeUndefined();
    const following = (await read(fleet, pod, { follow: true }))?.following?.[Symbol.asyncIterator]();
    const next = following?.next();
    await cluster.clock.advance(3_000);
    await harness.untilPod('p', (found) => first(found)?.restartCount === 1);
    expect(await next).toMatchObject({ done: false });
    expect(textOf((await read(fleet, pod, { previous: true }))?.lines as Iterable<{ text: string }>)[0]).toBe(
      'container main started',
    );
    await following?.return?.();
  });

  it('of a launcher has logs of its machine', async () => {
    const { fleet } = harness.start();
    const vmi = await harness.makeInstance('m');
    await harness.createLauncherPod(vmi, 'kwok-node-1');
    await harness.untilPhase('m', 'Running');
    await harness.annotate('m', { 'vimana.io/paused': 'true' });
    const pod = await harness.pod('launcher-m');
    const lines = async () =>
      textOf((await read(fleet, pod, { container: 'compute' }))?.lines as Iterable<{ text: string }>);
    await cluster.until(async () => (await lines()).length === 3);
    expect(await lines()).toEqual([
      'VirtualMachineInstance started.',
      'pausing the machine',
      'VirtualMachineInstance paused.',
    ]);
    const end = new AbortController();
    const following = (await read(fleet, pod, { container: 'compute', follow: true, signal: end.signal }))?.following;
    const rest: string[] = [];
    const reading = (async () => {
      for await (const { text } of following ?? []) rest.push(text);
    })();
    await admin.delete(PODS, 'launcher-m', { namespace });
    await harness.untilPodGone('launcher-m');
    await reading;
    expect(rest).toEqual(['Signaled Graceful Shutdown', 'The VirtualMachineInstance crashed: PodDeleted.']);
  });
});
