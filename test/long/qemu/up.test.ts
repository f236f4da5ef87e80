import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hasKubectl, hasQemu } from '#testing/programs';
import { Kubectl } from '../../e2e/support/kubectl.ts';
import { type RunningServer, startUp } from '../../e2e/support/vimana.ts';
import { isRunning } from './is-running.ts';

const FLAGS = ['--runtime', 'qemu', '--dialects', 'kubevirt'];
const WAIT = { timeout: 600_000, interval: 500 };
const GUESTS = ['guest-1', 'guest-2', 'guest-3'];

/** Returns the machine directories below a data directory. */
function machinesOf({ folder }: RunningServer): string[] {
  const root = join(folder, 'data', 'machines', 'qemu-node-1');
  return readdirSync(root).map((name) => join(root, name));
}

const pidsOf = (server: RunningServer) =>
  machinesOf(server)
    .map((directory) => Number(readFileSync(join(directory, 'qemu.pid'), 'utf8')))
    .sort((a, b) => a - b);

const clientOf = ({ kubeconfig, folder }: RunningServer) => new Kubectl(kubeconfig, folder);

/** Returns a value of all objects of a kind, such as the uids of all instances. */
const valuesOf = async (server: RunningServer, kind: string, path: string) =>
  (await clientOf(server).ok(['get', kind, '-o', `jsonpath={.items${path}}`])).trim().split(' ').sort();

const runningVmis = (server: RunningServer) => valuesOf(server, 'vmi', '[?(@.status.phase=="Running")].metadata.name');

describe.skipIf(!hasQemu() || !hasKubectl())('vimana up with real VMs', () => {
  it('boots guests, finds them again after a crash, and shuts them down', async () => {
    const first = await startUp(FLAGS);
    expect(await runningVmis(first)).toEqual(GUESTS);
    const consoles = () => machinesOf(first).map((directory) => readFileSync(join(directory, 'serial.log'), 'utf8'));
    await vi.waitUntil(() => GUESTS.every((name) => consoles().join('').includes(`Hello from ${name}`)), WAIT);
    const uids = await valuesOf(first, 'vmi', '[*].metadata.uid');
    const pids = pidsOf(first);
    process.kill(first.pid, 'SIGKILL');
    await vi.waitUntil(() => !isRunning(first.pid), WAIT);

    const second = await startUp(FLAGS, first.folder);
    await vi.waitUntil(async () => (await runningVmis(second)).join() === GUESTS.join(), WAIT);
    expect(await valuesOf(second, 'vmi', '[*].metadata.uid')).toEqual(uids);
    expect(pidsOf(second)).toEqual(pids);

    expect(await valuesOf(second, 'node', '[*].metadata.labels.vimana\\.io/runtime')).toEqual(['qemu']);
    const fedora = readFileSync('examples/kubevirt/vm-running.yaml', 'utf8');
    await clientOf(second).ok('apply -f -', fedora.replace('quay.io', 'registry.invalid'));
    const statusOf = () => clientOf(second).ok('get vm fedora -o jsonpath={.status.printableStatus}');
    await vi.waitUntil(async () => /^(ErrImagePull|ImagePullBackOff)$/.test(await statusOf()), WAIT);
    await clientOf(second).ok('patch vm guest-3 --type merge -p {"spec":{"runStrategy":"Halted"}}');
    const firmware = { bootloader: { efi: { secureBoot: false } } };
    const changed = { runStrategy: 'Always', template: { spec: { domain: { firmware } } } };
    await clientOf(second).ok(['patch', 'vm', 'guest-3', '--type', 'merge', '-p', JSON.stringify({ spec: changed })]);
    const reasons = () => valuesOf(second, 'event', '[*].reason');
    await vi.waitUntil(async () => (await reasons()).includes('NotSupported'), WAIT);

    process.kill(second.pid, 'SIGTERM');
    await vi.waitUntil(() => !isRunning(second.pid), WAIT);
    expect(pids.filter(isRunning)).toEqual([]);
  });
});
