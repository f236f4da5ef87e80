import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import { shell as runShell } from '../support/shell.ts';
import type { Target } from '../support/target.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const TIMEOUT = { timeout: 30_000, interval: 100 };
const SLOW = 120_000;
const documented = (name: string) => readFileSync(join(ROOT, 'test/fixtures/documented', `002-${name}.yaml`), 'utf8');

/** All examples of the HyperSDK document, unmodified, on a cluster with the nodes node-1 to node-3. */
export function hypersdkJourney(where: { readonly name: string; readonly start: () => Promise<Target> }): void {
  describe.skipIf(!hasKubectl())(`HyperSDK on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start);
  const { ok, field } = cluster;
  const wait = (what: string, condition: string) => ok(`wait ${what} --for=${condition} --timeout=100s`);

  const shell = (line: string, env: NodeJS.ProcessEnv = {}) => runShell(cluster.target, line, env);

  /** Applies the output of a command and returns the name of the created object. */
  async function applied(call: string): Promise<string> {
    const out = await shell(`hyperctl k8s ${call} | kubectl apply -f -`);
    const name = /^(\S+) created\n$/.exec(out)?.[1];
    if (name === undefined) throw new Error(`${call} has made ${out}`);
    return name;
  }

  async function nothingLeft() {
    const left = () => ok('get virtualmachines.hypersdk.io,vmi,pods,pvc -o name');
    await vi.waitFor(async () => expect(await left()).toBe(''), TIMEOUT);
  }

  it(
    'creates a VM from a template',
    async () => {
      await ok('apply -f -', documented('virtual-machine-from-template'));
      await wait('vm/my-vm', 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}=NotFound');
      await ok(
        'apply -f examples/hypersdk/template-ubuntu-22-04-template.yaml -f examples/hypersdk/template-ubuntu-22-04.yaml',
      );
      await wait('vm/my-vm', 'condition=Ready');
      expect(await ok('get vm')).toMatch(
        /^NAME +STATUS +CPUS +MEMORY +NODE +IPS +AGE\nmy-vm +Running +4 +8Gi +node-[123] +10\./,
      );
      expect(await field('pvc/my-vm-root', '.spec.storageClassName} {.spec.resources.requests.storage')).toBe(
        'fast-ssd 50Gi',
      );
      expect(await field('vmtemplate/ubuntu-22-04-template', '.status.usageCount')).toBe('1');
    },
    SLOW,
  );

  it('can be debugged as its troubleshooting section says', async () => {
    expect(await ok('describe nodes')).toContain('node-1');
    expect(await ok('get storageclass')).toContain('fast-ssd');
    expect(await ok('get pvc')).toContain('my-vm-root');
    expect(await ok('get events --field-selector involvedObject.name=my-vm')).toContain('SuccessfulCreate');
    const pod = (await ok('get pod -l vm=my-vm -o name')).trim();
    expect(pod).toMatch(/^pod\/virt-launcher-my-vm-/);
    expect(await ok(`describe ${pod}`)).toContain('my-vm');
  });

  it(
    'clones a VM',
    async () => {
      await ok('apply -f -', documented('vm-operation-clone'));
      await wait('vmoperation/clone-my-vm', 'condition=Succeeded');
      await wait('vm/my-vm-clone', 'condition=Ready');
      const address = (name: string) => field(`vm/${name}`, '.status.ipAddresses[0]');
      expect(await address('my-vm-clone')).not.toBe(await address('my-vm'));
    },
    SLOW,
  );

  it(
    'creates a snapshot',
    async () => {
      await ok('apply -f -', documented('vm-snapshot'));
      await wait('vmsnapshot/my-vm-snapshot', 'condition=Ready');
      expect(await field('vmsnapshot/my-vm-snapshot', '.status.phase} {.status.readyToRestore')).toBe('Ready true');
      expect(await ok('get vm')).toMatch(/my-vm +Running/);
    },
    SLOW,
  );

  it(
    'migrates a VM',
    async () => {
      await ok('apply -f -', documented('vm-operation-migrate'));
      await wait('vmoperation/migrate-my-vm', 'condition=Succeeded');
      await wait('vm/my-vm', 'jsonpath={.status.nodeName}=node-2');
      expect(await field('vm/my-vm', '.status.phase')).toBe('Running');
    },
    SLOW,
  );

  it(
    'deletes everything, including disks, and no template in use',
    async () => {
      const refused = await cluster.kubectl.run(['delete', 'vmtemplate', 'ubuntu-22-04-template', '--wait=false']);
      // If admission is not called for deletions, the template is retained and reports its users.
      if (refused.code === 0) await wait('vmtemplate/ubuntu-22-04-template', 'condition=Ready=False');
      expect(await field('vmtemplate/ubuntu-22-04-template', '.status.conditions[?(@.type=="InUse")].message')).toBe(
        'default/my-vm, default/my-vm-clone',
      );
      await ok('delete vmsnapshot --all --timeout=60s');
      await ok('delete vm --all --timeout=60s');
      await nothingLeft();
      if (refused.code === 0) await wait('vmtemplate/ubuntu-22-04-template', 'delete');
    },
    SLOW,
  );

  it(
    'does what hyperctl prints',
    async () => {
      expect(await applied('-op vm-create -vm my-vm -cpus 4 -memory 8Gi -template ubuntu-22-04')).toBe(
        'virtualmachine.hypersdk.io/my-vm',
      );
      await wait('vm/my-vm', 'condition=Ready');
      expect(await shell('hyperctl k8s -op vm-list -namespace default')).toMatch(/my-vm +hypersdk\.io +Running/);
      for (const [operation, phase] of [
        ['stop', 'Stopped'],
        ['start', 'Running'],
        ['restart', 'Running'],
      ] as const) {
        await wait(await applied(`-op vm-${operation} -vm my-vm`), 'condition=Succeeded');
        await wait('vm/my-vm', `jsonpath={.status.phase}=${phase}`);
      }
      await wait(await applied('-op vm-clone -vm my-vm -target my-vm-clone'), 'condition=Succeeded');
      expect(await field('vm/my-vm-clone', '.spec.cpus')).toBe('4');
      const snapshot = await applied('-op vm-snapshot-create -vm my-vm -snapshot my-snapshot -include-memory');
      expect(snapshot).toBe('vmsnapshot.hypersdk.io/my-snapshot');
      await wait(snapshot, 'condition=Ready');
      await ok('delete vmsnapshot,vm --all --timeout=60s');
      await nothingLeft();
    },
    SLOW,
  );

  it(
    'passes its lifecycle test, which leaves nothing behind',
    async () => {
      const out = await shell('deploy/test-vm-lifecycle.sh', { NAMESPACE: 'lifecycle' });
      expect(out).toMatch(/== 8\.[^]*\nPASSED/);
      await wait('namespace/lifecycle', 'delete');
      await nothingLeft();
    },
    SLOW,
  );
}
