import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasKubectl, Kubectl } from './support/kubectl.ts';
import { type RunningServer, startUp } from './support/vimana.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../bin/vimana');
const PATIENCE = { timeout: 15_000, interval: 50 };

/** As the document on the VirtualMachine kind has it, its misspelt volume included. */
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

const vimana = (server: RunningServer, ...args: string[]) =>
  spawnSync(LAUNCHER, args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: server.folder, KUBECONFIG: server.kubeconfig },
  });

describe.skipIf(!hasKubectl())('a VirtualMachine on vimana up', () => {
  let server: RunningServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startUp(['--dialects', 'kubevirt', '--ephemeral', '--empty', '--nodes', '3']);
    kubectl = new Kubectl(server.kubeconfig, server.folder);
  }, 60_000);
  afterAll(() => server.stop());

  const ok = async (args: string, input = '') => {
    const outcome = await kubectl.run(words(args), input);
    expect(outcome, args).toMatchObject({ code: 0 });
    return outcome.out;
  };
  const status = async (what: string, path: string) => {
    const outcome = await kubectl.run(['get', ...words(what), '-o', `jsonpath={${path}}`]);
    expect(outcome, what).toMatchObject({ code: 0 });
    return outcome.out;
  };
  const becomes = (what: string, path: string, value: string) =>
    vi.waitFor(async () => expect(await status(what, path)).toBe(value), PATIENCE);

  it('is seen going through its phases', async () => {
    const watch = kubectl.follow(['get', 'vmi', '-w', '--no-headers']);
    await ok('get vmi');
    await ok('create -f -', slow('phases'));
    const seen = () => watch.lines().map((line) => line.split(/\s+/)[2]);
    await vi.waitFor(() => expect(seen().at(-1)).toBe('Running'), PATIENCE);
    await watch.stop();
    const order = seen().filter((phase, at, all) => phase !== all[at - 1]);
    expect(order).toEqual(['Pending', 'Scheduling', 'Scheduled', 'Running']);
    expect(await ok('get vm phases')).toMatch(/phases\s+\S+\s+Running\s+True/);
    await ok('delete vm phases');
  });

  it('does what its document says: create, start, describe, stop', async () => {
    await ok('apply -f -', CLAIM);
    const created = await kubectl.run(['create', '-f', '-'], MYVM.replace('VOLUME', 'mypvc'));
    expect(created).toMatchObject({ code: 0, out: 'virtualmachine.kubevirt.io/myvm created\n' });
    await becomes('vm myvm', '.status.printableStatus', 'Stopped');
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":true}}`);
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    const described = await ok('describe virtualmachine myvm');
    expect(described).toContain('Printable Status:');
    expect(described).toMatch(/SuccessfulCreate.*Started the virtual machine/);
    expect(await status('vm myvm', '.status.created}{.status.ready}{.status.virtualMachine')).toBe('truetruemyvm');
    expect(await status('vmi myvm', '.metadata.ownerReferences[0].name')).toBe('myvm');
    expect(await status('vmi myvm', '.metadata.labels.my')).toBe('label');
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":false}}`);
    await becomes('vm myvm', '.status.printableStatus', 'Stopped');
    expect((await kubectl.run(['get', 'vmi', 'myvm'])).err).toContain('NotFound');
  });

  it('takes its instance along when it is deleted, unless told otherwise, and adopts one that was left', async () => {
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":true}}`);
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    const uid = await status('vmi myvm', '.metadata.uid');
    await ok('delete virtualmachine myvm --cascade=orphan');
    expect(await status('vmi myvm', '.metadata.uid}{.status.phase}{.metadata.ownerReferences')).toBe(`${uid}Running`);
    await ok('create -f -', MYVM.replace('VOLUME', 'mypvc').replace('running: false', 'running: true'));
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    expect(await status('vmi myvm', '.metadata.uid}{.metadata.ownerReferences[0].name')).toBe(`${uid}myvm`);
    await ok('delete virtualmachine myvm --cascade=background');
    await vi.waitFor(async () => expect(await ok('get vmi,pods -o name')).toBe(''), PATIENCE);
    await ok('create -f -', MYVM.replace('VOLUME', 'mypvc').replace('running: false', 'running: true'));
    await becomes('vm myvm', '.status.printableStatus', 'Running');
    await ok('delete virtualmachine myvm --cascade=foreground');
    await vi.waitFor(async () => expect(await ok('get vmi,pods -o name')).toBe(''), PATIENCE);
  });

  it('says why a machine with a disk of no volume is not started', async () => {
    const outcome = await kubectl.run(['create', '-f', '-'], MYVM.replace('VOLUME', 'mypcv'));
    expect(outcome.code).toBe(0);
    expect(outcome.err).toContain('mypcv');
    await ok(`patch virtualmachine myvm --type=merge -p {"spec":{"running":true}}`);
    await vi.waitFor(async () => expect(await ok('get vm myvm -o yaml')).toContain('mypcv, but'), PATIENCE);
    await ok('delete vm myvm');
  });

  it('refuses bad input with all causes, and stores nothing', async () => {
    const bad = slow('bad')
      .replace('guest: 1Gi', 'guest: lots')
      .replace('runStrategy: Always', 'runStrategy: Sometimes');
    const outcome = await kubectl.run(['create', '-f', '-'], bad);
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain('spec.runStrategy');
    expect(outcome.err).toContain('spec.template.spec.domain.memory.guest');
    expect(await ok('get vm,vmi,pods -o name')).toBe('');
  });

  it('moves machines off a node that is drained, with address and identity kept', async () => {
    await ok('create -f -', slow('mover'));
    await becomes('vm mover', '.status.printableStatus', 'Running');
    const before = await status('vmi mover', '.metadata.uid} {.status.interfaces[0].ipAddress');
    const node = await status('vmi mover', '.status.nodeName');
    await ok(`drain ${node} --ignore-daemonsets --delete-emptydir-data --timeout=30s`);
    await vi.waitFor(async () => expect(await status('vmi mover', '.status.nodeName')).not.toBe(node), PATIENCE);
    expect(await status('vmi mover', '.metadata.uid} {.status.interfaces[0].ipAddress')).toBe(before);
    await ok(`uncordon ${node}`);
    await ok('delete vm mover');
  });

  it('is handled by vimana vm as well', async () => {
    expect(vimana(server, 'vm', 'create', 'one', '--cpus', '2', '--memory', '2Gi', '--wait')).toMatchObject({
      status: 0,
      stdout: 'virtualmachine.kubevirt.io/one created\none is Running\n',
    });
    expect(vimana(server, 'vm', 'list').stdout).toMatch(/^NAME .*\none\s+kubevirt.io\s+Running\s+True/);
    expect(vimana(server, 'vm', 'migrate', 'one', '--wait', '--timeout', '20s')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/one is Running on kwok-node-/),
    });
    expect(vimana(server, 'vm', 'start', 'one')).toMatchObject({ status: 1 });
    expect(vimana(server, 'vm', 'events', 'one').stdout).toContain('Migrated');
    const pod = (await ok('get pods -o name')).trim().replace('pod/', '');
    expect(vimana(server, 'explain', 'pod', pod).stdout).toContain('placed on kwok-node-');
    expect(await ok(`logs ${pod}`)).not.toBe('');
    expect(vimana(server, 'vm', 'delete', 'one', '--wait')).toMatchObject({ status: 0 });
    expect(vimana(server, 'vm', 'get', 'one')).toMatchObject({ status: 1 });
  }, 60_000);
});

describe.skipIf(!hasKubectl())('the process of vimana up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('brings up a demo fleet, is found by status, refuses a second one, and keeps everything through kill -9', async () => {
    const first = await startUp([], folder);
    const kubectl = new Kubectl(first.kubeconfig, folder);
    expect(first.said()).toContain('10 machines running');
    const list = async () =>
      (await kubectl.run(words('get vmi -o custom-columns=:.metadata.name,:.metadata.uid,:.status.phase'))).out;
    const before = await list();
    expect(before.match(/Running/g)).toHaveLength(10);
    const data = join(folder, 'data');
    expect(vimana(first, 'status', '--data-dir', data).stdout).toContain('5 of 5 ready');
    expect(vimana(first, 'up', '--port', '0', '--data-dir', data)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('in use by another control plane'),
    });
    process.kill(first.pid, 'SIGKILL');
    const again = await startUp([], folder);
    await vi.waitFor(async () => expect(await list()).toBe(before), PATIENCE);
    expect(vimana(again, 'down', '--data-dir', data)).toMatchObject({ status: 0 });
    expect(vimana(again, 'status', '--data-dir', data)).toMatchObject({ status: 1 });
  }, 60_000);

  it('says which port is taken, and leaves nothing behind', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const port = String((holder.address() as AddressInfo).port);
    const other = join(folder, 'other');
    const flags = ['--port', port, '--metrics-port', '0', '--health-port', '0', '--data-dir', other];
    const outcome = spawnSync(LAUNCHER, ['up', ...flags], { encoding: 'utf8' });
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining(`port ${port} is taken`) });
    holder.close();
  }, 60_000);
});

it('ends at once and without a complaint when it is stopped while it starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-'));
  const child = spawn(LAUNCHER, ['up', '--port', '0', '--data-dir', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    if (out === '') child.kill('SIGINT');
    out += chunk.toString();
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(out).toBe('Vimana is starting\n  ✗ control plane\nStopped before it was ready.\n');
  expect(err).toBe('');
  rmSync(folder, { recursive: true });
}, 60_000);

/** Words of a command line; what stands in braces is one word. */
const words = (line: string) => line.match(/(?:[^\s{]|\{[^}]*\}+)+/g) ?? [];
