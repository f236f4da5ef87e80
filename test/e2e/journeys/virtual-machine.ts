import { describe, expect, it, vi } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';
import { vimana } from '../support/vimana.ts';

const TIMEOUT = { timeout: 60_000, interval: 50 };

/** The manifest in the document on the VirtualMachine kind, including its misspelled volume. */
const MYVM = `
apiVersion: kubevirt.io/v1alpha2
kind: VirtualMachine
metadata:
  name: myvm
spec:
  running: false
  template:
    metadata:
      labels:
        my: label
    spec:
      domain:
        resources:
          requests:
            memory: 8Mi
        devices:
          disks:
          - name: disk0
            volumeName: VOLUME
      volumes:
        - name: mypvc
          persistentVolumeClaim:
            claimName: myclaim
`;
const CLAIM = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: myclaim}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;
const slow = (name: string) => `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: ${name}}
spec:
  runStrategy: Always
  template:
    metadata: {annotations: {vimana.io/start-delay: 500ms}}
    spec:
      evictionStrategy: LiveMigrate
      domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: default, masquerade: {}}]}}
      networks: [{name: default, pod: {}}]
`;

export interface MachineTarget extends Target {
  /** Whether nodes and scheduler are ours, which report more than those of Kubernetes and KWOK. */
  readonly ours: boolean;
}

/** Common tasks with a VirtualMachine, on any cluster with the operator and three nodes. */
export function machineJourney(where: { readonly name: string; readonly start: () => Promise<MachineTarget> }): void {
  describe.skipIf(!hasKubectl())(`a VirtualMachine on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<MachineTarget>): void {
  const cluster = onCluster(start);
  const { ok, field } = cluster;
  const becomes = (what: string, path: string, value: string) =>
    vi.waitFor(async () => expect(await field(what, path)).toBe(value), TIMEOUT);

  it('shows its phases in a watch', async () => {
    // Once the watch shows an existing object, it also shows every later change.
    await ok('create -f -', slow('before'));
    const watch = cluster.kubectl.follow(['get', 'vmi', '-w', '--no-headers']);
    await vi.waitFor(() => expect(watch.lines()).not.toEqual([]), TIMEOUT);
    await ok('create -f -', slow('phases'));
    const seen = () =>
      watch.lines().flatMap((line) => {
        const [name, , phase] = line.split(/\s+/);
        return name === 'phases' ? [phase] : [];
      });
    await vi.waitFor(() => expect(seen().at(-1)).toBe('Running'), TIMEOUT);
    await watch.stop();
    const order = seen().filter((phase, at, all) => phase !== all[at - 1]);
    // If scheduler and operator learn of a new pod at the same time, the pod may never be observed as unscheduled.
    const passing = cluster.target.ours || order.includes('Scheduling') ? ['Scheduling'] : [];
    expect(order).toEqual(['Pending', ...passing, 'Scheduled', 'Running']);
    expect(await ok('get vm phases')).toMatch(/phases\s+\S+\s+Running\s+True/);
    await ok('delete vm phases before');
  });

  it('works as its document says: create, start, describe, stop', async () => {
    await ok('apply -f -', CLAIM);
    const created = await cluster.kubectl.run(['create', '-f', '-'], MYVM.replace('VOLUME', 'mypvc'));
    expect(created).toMatchObject({ code: 0, out: 'virtualmachine.kubevirt.io/myvm created\n' });
    await becomes('vm myvm', '.status.printableStatus', 'Stopped');
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":true}}`);
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    await vi.waitFor(async () => {
      const described = await ok('describe virtualmachine myvm');
      expect(described).toContain('Printable Status:');
      expect(described).toMatch(/SuccessfulCreate.*Started the virtual machine/);
    }, TIMEOUT);
    expect(await field('vm myvm', '.status.created}{.status.ready}{.status.virtualMachine')).toBe('truetruemyvm');
    expect(await field('vmi myvm', '.metadata.ownerReferences[0].name')).toBe('myvm');
    expect(await field('vmi myvm', '.metadata.labels.my')).toBe('label');
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":false}}`);
    await becomes('vm myvm', '.status.printableStatus', 'Stopped');
    expect((await cluster.kubectl.run(['get', 'vmi', 'myvm'])).err).toContain('NotFound');
  });

  it('deletes its instance unless told otherwise, and adopts an orphaned one', async () => {
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":true}}`);
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    const uid = await field('vmi myvm', '.metadata.uid');
    await ok('delete virtualmachine myvm --cascade=orphan');
    expect(await field('vmi myvm', '.metadata.uid}{.status.phase}{.metadata.ownerReferences')).toBe(`${uid}Running`);
    await ok('create -f -', MYVM.replace('VOLUME', 'mypvc').replace('running: false', 'running: true'));
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    expect(await field('vmi myvm', '.metadata.uid}{.metadata.ownerReferences[0].name')).toBe(`${uid}myvm`);
    await ok('delete virtualmachine myvm --cascade=background');
    await vi.waitFor(async () => expect(await ok('get vmi,pods -o name')).toBe(''), TIMEOUT);
    await ok('create -f -', MYVM.replace('VOLUME', 'mypvc').replace('running: false', 'running: true'));
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    await ok('delete virtualmachine myvm --cascade=foreground');
    await vi.waitFor(async () => expect(await ok('get vmi,pods -o name')).toBe(''), TIMEOUT);
  });

  it('reports why a VM with a disk without a volume does not start', async () => {
    const outcome = await cluster.kubectl.run(['create', '-f', '-'], MYVM.replace('VOLUME', 'mypcv'));
    expect(outcome.code).toBe(0);
    expect(outcome.err).toContain('mypcv');
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":true}}`);
    await vi.waitFor(async () => expect(await ok('get vm myvm -o yaml')).toContain('mypcv, but'), TIMEOUT);
    await ok('delete vm myvm');
  });

  it('rejects invalid input with all causes, and stores nothing', async () => {
    const bad = slow('bad')
      .replace('guest: 1Gi', 'guest: lots')
      .replace('runStrategy: Always', 'runStrategy: Sometimes');
    const outcome = await cluster.kubectl.run(['create', '-f', '-'], bad);
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain('spec.runStrategy');
    expect(outcome.err).toContain('spec.template.spec.domain.memory.guest');
    expect(await ok('get vm,vmi,pods -o name')).toBe('');
  });

  it('migrates off a drained node, with the same address and identity', async () => {
    await ok('create -f -', slow('mover'));
    await becomes('vm mover', '.status.printableStatus', 'Running');
    const before = await field('vmi mover', '.metadata.uid} {.status.interfaces[0].ipAddress');
    const node = await field('vmi mover', '.status.nodeName');
    await ok(`drain ${node} --ignore-daemonsets --delete-emptydir-data --timeout=60s`);
    await vi.waitFor(async () => expect(await field('vmi mover', '.status.nodeName')).not.toBe(node), TIMEOUT);
    expect(await field('vmi mover', '.metadata.uid} {.status.interfaces[0].ipAddress')).toBe(before);
    await ok(`uncordon ${node}`);
    await ok('delete vm mover');
  });

  it('can also be used with vimana vm', async () => {
    expect(vimana(cluster.target, 'vm', 'create', 'one', '--cpus', '2', '--memory', '2Gi', '--wait')).toMatchObject({
      status: 0,
      stdout: 'virtualmachine.kubevirt.io/one created\none is Running\n',
    });
    expect(vimana(cluster.target, 'vm', 'list').stdout).toMatch(/^NAME .*\none\s+kubevirt.io\s+Running\s+True/);
    expect(vimana(cluster.target, 'vm', 'migrate', 'one', '--wait', '--timeout', '60s')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/one is Running on kwok-node-/),
    });
    expect(vimana(cluster.target, 'vm', 'start', 'one')).toMatchObject({ status: 1 });
    await vi.waitFor(() => {
      expect(vimana(cluster.target, 'vm', 'events', 'one').stdout).toContain('Migrated');
    }, TIMEOUT);
    const pod = (await ok('get pods -o name')).trim().replace('pod/', '');
    if (cluster.target.ours) {
      expect(vimana(cluster.target, 'explain', 'pod', pod).stdout).toContain('placed on kwok-node-');
      expect(await ok(`logs ${pod}`)).not.toBe('');
    }
    expect(vimana(cluster.target, 'vm', 'delete', 'one', '--wait')).toMatchObject({ status: 0 });
    expect(vimana(cluster.target, 'vm', 'get', 'one')).toMatchObject({ status: 1 });
  });
}
