import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';
import { vimana } from '../support/vimana.ts';
import { words } from '../support/words.ts';

const TIMEOUT = { timeout: 60_000, interval: 50 };
const EXAMPLES = resolve(import.meta.dirname, '../../../examples/simulation/vms');

/** The VM in the document on the VirtualMachine kind, with its status, which the server drops. */
const DOCUMENTED = resolve(import.meta.dirname, '../../fixtures/documented/000-virtual-machine.yaml');

/** Common tasks with simulated VMs, on any cluster with the operator and three simulated nodes. */
export function simulationJourney(where: { readonly name: string; readonly start: () => Promise<Target> }): void {
  describe.skipIf(!hasKubectl())(`a simulated VirtualMachine on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start);
  const { ok, field } = cluster;
  const runs = (...names: string[]) =>
    ok(`wait vm ${names.join(' ')} --for=jsonpath={.status.phase}=Running --timeout=60s`);
  const annotation = (pod: string, name: string) => field(`pod ${pod}`, `.metadata.annotations.kubevirt\\.io/${name}`);

  it('supports every command of the document as written', async () => {
    const five = ['vm-small-1', 'vm-medium-1', 'vm-large-1', 'vm-compute-intensive', 'vm-memory-intensive'];
    await ok(`apply -f ${EXAMPLES}/example-vms.yaml`);
    await ok(`apply -f ${DOCUMENTED}`);
    await runs('vm-1', ...five);
    const listed = (await ok('get vm')).trim().split('\n');
    expect(listed[0]?.split(/\s+/)).toEqual(['NAME', 'PHASE', 'CPU', 'MEMORY', 'CPU-UTIL', 'MEM-UTIL', 'NODE', 'AGE']);
    expect(listed).toHaveLength(7);
    const wide = (await ok('get vm -o wide')).split('\n').find((line) => line.startsWith('vm-small-1 '));
    expect(wide).toMatch(
      /^vm-small-1\s+Running\s+0\.05\s+0\.08\s+1\s+1\s+\S*node-\d\s+virt-launcher-vm-small-1-\w{5}\s/,
    );
    expect(await ok('describe vm vm-1')).toMatch(/Pod Name: +virt-launcher-vm-1-/);
    expect(await field('vm vm-1', '.status.phase')).toBe('Running');
    const pod = await field('vm vm-1', '.status.podName');
    expect(pod).toMatch(/^virt-launcher-vm-1-[a-z0-9]{5}$/);
    expect(await field('vm vm-1', '.status.nodeName')).toBe(await field(`pod ${pod}`, '.spec.nodeName'));
    expect(await ok('get vms')).toContain('vm-1');
    const watching = cluster.kubectl.follow(words('get vm -w'));
    await vi.waitFor(() => expect(watching.lines().length).toBeGreaterThan(6), TIMEOUT);
    await ok('delete vm vm-1');
    await vi.waitFor(async () => expect((await cluster.kubectl.run(['get', 'pod', pod])).code).toBe(1), TIMEOUT);
    await watching.stop();
  });

  it('has pods as the document on pods shows them', async () => {
    await runs('vm-small-1');
    const pod = JSON.parse(await ok('get pods -l app=virt-launcher,kubevirt.io/domain=vm-small-1 -o json')).items[0];
    expect(pod.metadata.name).toBe(await field('vm vm-small-1', '.status.podName'));
    expect(pod.metadata.labels).toMatchObject({ 'vm.kubevirt.io/name': 'vm-small-1' });
    expect(pod.metadata.annotations).toMatchObject({
      'kubevirt.io/vm-cpu-consumption': '0.05',
      'kubevirt.io/vm-memory-consumption': '0.08',
      'kubevirt.io/domain': 'vm-small-1',
      'descheduler.alpha.kubernetes.io/request-evict-only': 'true',
    });
    const [compute] = pod.spec.containers;
    expect(compute).toMatchObject({ name: 'compute', image: 'quay.io/kubevirt/virt-launcher:latest' });
    // The sizes are fractions of nodes with 32 CPUs and 128Gi.
    expect(compute.resources.requests).toEqual({ cpu: '1600m', memory: '10995116278' });
    expect(pod.spec.tolerations).toContainEqual({
      key: 'kwok.x-k8s.io/node',
      operator: 'Equal',
      value: 'fake',
      effect: 'NoSchedule',
    });
  });

  it('updates its pod at once when its usage changes, and keeps annotations of users', async () => {
    await ok(`apply -f ${EXAMPLES}/vm-absolute.yaml`);
    await runs('database');
    const pod = await field('vm database', '.status.podName');
    expect(await annotation(pod, 'vm-cpu-consumption')).toBe('0.0875');
    await ok(`annotate pod ${pod} kubevirt.io/vm-memory-consumption=0.4 --overwrite`);
    await ok('patch vm database --type merge -p {"spec":{"utilization":{"cpu":"0.5"}}}');
    await vi.waitFor(async () => expect(await annotation(pod, 'vm-cpu-consumption')).toBe('0.125'), TIMEOUT);
    expect(await annotation(pod, 'vm-memory-consumption')).toBe('0.4');
    await vi.waitFor(async () => expect(await field('vm database', '.status.cpuUtilization')).toBe('0.5'), TIMEOUT);
    expect(await field('vm database', '.status.podName')).toBe(pod);
  });

  it('leaves a node by another pod, and never has two', async () => {
    await runs('vm-small-1');
    const [pod, node] = [
      await field('vm vm-small-1', '.status.podName'),
      await field('vm vm-small-1', '.status.nodeName'),
    ];
    const watching = cluster.kubectl.follow(words('get pods -l vm=vm-small-1 -w --output-watch-events --no-headers'));
    const told = cluster.kubectl.follow(
      words('get vm vm-small-1 -w -o jsonpath={.status.phase},{.status.evacuationNodeName};'),
    );
    await vi.waitFor(() => expect([watching.lines().length, told.lines().length > 0]).toEqual([1, true]), TIMEOUT);
    await ok(`cordon ${node}`);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: 'default' } };
    const answer = await cluster.kubectl.run(
      words(`create --raw /api/v1/namespaces/default/pods/${pod}/eviction -f -`),
      JSON.stringify(eviction),
    );
    expect(answer.err).toContain('Eviction triggered evacuation of VMI "default/vm-small-1.simulation"');
    await vi.waitFor(async () => expect(await field('vm vm-small-1', '.status.podName')).not.toBe(pod), TIMEOUT);
    await runs('vm-small-1');
    await ok(`uncordon ${node}`);
    expect(await field('vm vm-small-1', '.status.nodeName')).not.toBe(node);
    const next = await field('vm vm-small-1', '.status.podName');
    const events = () => watching.lines().map((line) => line.split(/\s+/).slice(0, 2).join(' '));
    await vi.waitFor(() => expect(events()).toContain(`ADDED ${next}`), TIMEOUT);
    await vi.waitFor(() => expect(told.lines().join('')).toContain(`Running,${node};`), TIMEOUT);
    await Promise.all([watching.stop(), told.stop()]);
    const seen = events();
    expect(seen.indexOf(`DELETED ${pod}`)).toBeGreaterThan(0);
    expect(seen.indexOf(`ADDED ${next}`)).toBeGreaterThan(seen.indexOf(`DELETED ${pod}`));
  });

  it('is moved by vimana vm migrate like by an eviction: with another pod, where the scheduler decides', async () => {
    await runs('vm-small-1');
    const [pod, node] = [
      await field('vm vm-small-1', '.status.podName'),
      await field('vm vm-small-1', '.status.nodeName'),
    ];
    const selective = vimana(cluster.target, 'vm', 'migrate', 'vm-small-1', '--node-selector', 'disk=fast');
    expect([selective.status, selective.stderr]).toEqual([
      2,
      expect.stringContaining('whose node the scheduler always chooses'),
    ]);
    await ok(`cordon ${node}`);
    const { status, stdout, stderr } = vimana(cluster.target, 'vm', 'migrate', 'vm-small-1', '--wait');
    await ok(`uncordon ${node}`);
    // Progress is reported if the operation takes long enough.
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^(vm-small-1: (Stopping|Pending|Scheduling|Scheduled)\n)*$/),
    ]);
    await vi.waitFor(async () => expect(await field('vm vm-small-1', '.status.podName')).not.toBe(pod), TIMEOUT);
    const [next, now] = [
      await field('vm vm-small-1', '.status.podName'),
      await field('vm vm-small-1', '.status.nodeName'),
    ];
    expect([next === pod, now === node]).toEqual([false, false]);
    expect(stdout).toBe(`vm-small-1: migration requested\nvm-small-1 is Running on ${now}\n`);
    expect(await ok('get vmim -o name')).toBe('');
    expect((await ok('get pods -l vm=vm-small-1 -o name')).trim()).toBe(`pod/${next}`);
  });

  it('stops, starts, rejects invalid sizes, and leaves nothing behind', async () => {
    await ok('patch vm vm-large-1 --type merge -p {"spec":{"running":false}}');
    await ok('wait vm vm-large-1 --for=jsonpath={.status.phase}=Stopped --timeout=60s');
    expect(await field('vm vm-large-1', '.status.podName')).toBe('');
    await ok('patch vm vm-large-1 --type merge -p {"spec":{"running":true}}');
    await runs('vm-large-1');
    const { apiVersion, kind } = JSON.parse(await ok('get vm vm-large-1 -o json'));
    const spec = { resources: { cpu: '9', memory: '0.1' } };
    await ok('apply -f -', JSON.stringify({ apiVersion, kind, metadata: { name: 'huge' }, spec }));
    await ok('wait vm huge --for=condition=PodScheduled=false --timeout=60s');
    expect(await field('vm huge', '.status.phase')).toBe('Scheduling');
    const [mixed, use] = [
      '{"resources":{"cpu":"0.1","memory":"1Gi"},"utilization":{"memory":"2"}}',
      'must be from 0 to 1',
    ];
    const refused = await cluster.kubectl.run(words(`patch vm vm-small-1 --type merge -p {"spec":${mixed}}`));
    expect(refused.err).toContain(use);
    await ok('delete vm --all --timeout=60s');
    await vi.waitFor(async () => expect(await ok('get pods,vmi -o name')).toBe(''), TIMEOUT);
  });
}
