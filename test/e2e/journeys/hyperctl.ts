import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { hasPrograms } from '#testing/programs';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const TEMPLATE = join(ROOT, 'examples/hypersdk/template-ubuntu-22-04.yaml');
const TIMEOUT = { timeout: 30_000, interval: 50 };
/** Program of util-linux that runs a command on its own terminal. */
const TERMINAL = 'script';

/** HyperSDK's documented commands, piped into the real kubectl, on any cluster with the operator. */
export function hyperctlJourney(where: { readonly name: string; readonly start: () => Promise<Target> }): void {
  describe.skipIf(!hasKubectl())(`hyperctl on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start);
  const { ok, field } = cluster;
  const env = () => ({
    PATH: [join(ROOT, 'bin'), process.env['PATH']].join(':'),
    HOME: cluster.target.folder,
    KUBECONFIG: cluster.target.kubeconfig,
    TERM: 'dumb',
  });
  const shell = (line: string) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], {
      encoding: 'utf8',
      env: env(),
    });
    return { code: status, out: stdout, err: stderr };
  };
  /** Returns the output of a command line, which must succeed. */
  const does = (line: string) => {
    const outcome = shell(line);
    expect(outcome, line).toMatchObject({ code: 0 });
    return outcome.out;
  };
  const applied = (out: string) => /^(\S+) created\n$/.exec(out)?.[1] ?? `nothing in ${out}`;
  const succeeds = (operation: string) => ok(`wait ${operation} --for=condition=Succeeded --timeout=60s`);
  const becomes = (phase: string, vm = 'my-vm') =>
    ok(`wait vm.hypersdk.io/${vm} --for=jsonpath={.status.phase}=${phase} --timeout=60s`);

  it('creates a VM from a template and lists it', async () => {
    await ok(`apply -f ${TEMPLATE}`);
    const made = does(`hyperctl k8s -op vm-create \\
  -vm my-vm \\
  -cpus 4 \\
  -memory 8Gi \\
  -template ubuntu-22-04 | kubectl apply -f -`);
    expect(made).toBe('virtualmachine.hypersdk.io/my-vm created\n');
    await becomes('Running');
    expect(does('hyperctl k8s -op vm-list -namespace default')).toMatch(/\nmy-vm +hypersdk.io +Running +True /);
    expect(does('kubectl get vm')).toContain('my-vm');
  });

  it('stops, starts and restarts it, each time with a new instance', async () => {
    for (const [verb, phase] of [
      ['stop', 'Stopped'],
      ['start', 'Running'],
      ['restart', 'Running'],
    ] as const) {
      const before = await field('vmi my-vm.hypersdk --ignore-not-found', '.metadata.uid');
      const operation = applied(does(`hyperctl k8s -op vm-${verb} -vm my-vm | kubectl apply -f -`));
      expect(operation).toMatch(new RegExp(`^vmoperation.hypersdk.io/my-vm-${verb}-\\w{5}$`));
      await succeeds(operation);
      await becomes(phase);
      if (verb === 'restart') expect(await field('vmi my-vm.hypersdk', '.metadata.uid')).not.toBe(before);
    }
  });

  it('clones, migrates and resizes it', async () => {
    await succeeds(
      applied(
        does(`hyperctl k8s -op vm-clone \\
  -vm my-vm \\
  -target my-vm-clone | kubectl apply -f -`),
      ),
    );
    await becomes('Stopped', 'my-vm-clone');
    const from = await field('vm.hypersdk.io my-vm', '.status.nodeName');
    await succeeds(applied(does('hyperctl k8s -op vm-migrate -vm my-vm | kubectl apply -f -')));
    expect(await field('vm.hypersdk.io my-vm', '.status.nodeName')).not.toBe(from);
    await succeeds(
      applied(does('hyperctl k8s -op vm-resize -vm my-vm-clone -cpus 2 -memory 4Gi | kubectl apply -f -')),
    );
    expect(await field('vm.hypersdk.io my-vm-clone', '.spec.cpus')).toBe('2');
  });

  it('takes, restores and deletes a snapshot', async () => {
    const made = does(`hyperctl k8s -op vm-snapshot-create \\
  -vm my-vm \\
  -snapshot my-snapshot \\
  -include-memory | kubectl apply -f -`);
    expect(made).toBe('vmsnapshot.hypersdk.io/my-snapshot created\n');
    await ok('wait vmsnapshot/my-snapshot --for=condition=Ready --timeout=60s');
    expect(does('hyperctl k8s -op vm-snapshot-list -vm my-vm')).toMatch(/\nmy-snapshot +my-vm +Ready /);
    await succeeds(applied(does('hyperctl k8s -op vm-restore -vm my-vm -snapshot my-snapshot | kubectl apply -f -')));
    await becomes('Running');
    expect(shell('hyperctl k8s -op vm-snapshot-delete -snapshot my-snapshot')).toMatchObject({ code: 0, out: '' });
    await vi.waitFor(async () => expect(await ok('get vmsnapshots -o name')).toBe(''), TIMEOUT);
  });

  it('waits for its operations with -wait, and prints objects that can be applied again', async () => {
    const { code, out, err } = shell('hyperctl k8s -op vm-stop -vm my-vm -wait');
    expect(code).toBe(0);
    expect(err).toMatch(/^vmoperation.hypersdk.io\/my-vm-stop-\w{5} created\n(my-vm: .*\n)*my-vm is stopped\n$/);
    const { name } = (parse(out) as { metadata: { name: string } }).metadata;
    const end = await field(`vmop ${name}`, '.status.completionTime');
    await ok('apply -f -', out);
    expect(await field(`vmop ${name}`, '.status.completionTime')).toBe(end);
    const again = shell('hyperctl k8s -op vm-clone -vm my-vm -target my-vm-clone -wait | kubectl apply -f -');
    expect(again.code).toBe(1);
    expect(again.err).toContain('my-vm-clone');
  });

  it.skipIf(!hasPrograms('hyperctl on a terminal', TERMINAL))(
    'prompts for a VM on a terminal, and creates it',
    async () => {
      // The answers are typed one by one, as a user does.
      const child = spawn(TERMINAL, ['-qec', 'hyperctl k8s -op vm-create', '/dev/null'], { env: env() });
      let shown = '';
      child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
      const exited = once(child, 'exit');
      for (const [question, answer] of [
        ['Name of the VM: ', 'Asked'],
        ['Name of the VM: ', 'asked'],
        ['Template (number, name, or - for none) [1]: ', ''],
        ['CPUs [2]: ', '1'],
        ['Memory [2Gi]: ', '1Gi'],
        ['Disk size (empty: that of the template): ', '5Gi'],
        ['Start it now? (yes, no) [yes]: ', ''],
        ['Create it now? (yes, or no to only print it) [no]: ', 'yes'],
      ] as const) {
        await vi.waitFor(() => expect(shown.endsWith(question), shown).toBe(true), TIMEOUT);
        shown = '';
        child.stdin.write(`${answer}\r`);
      }
      expect((await exited)[0], shown).toBe(0);
      expect(shown).toMatch(/virtualmachine.hypersdk.io\/asked created[^]*asked is Running/);
      expect(await field('vm.hypersdk.io asked', '.spec.disks[0].size')).toBe('5Gi');
    },
    120_000,
  );

  it('deletes the VMs', async () => {
    for (const vm of ['my-vm', 'my-vm-clone', 'asked']) {
      does(`hyperctl k8s -op vm-delete -vm ${vm} | kubectl apply -f -`);
    }
    await vi.waitFor(async () => expect(await ok('get vm.hypersdk.io -o name')).toBe(''), TIMEOUT);
    expect(does('hyperctl k8s -op status')).toContain('VMs:         none\n');
  });
}
