import { describe, expect, it } from 'vitest';
import { hasKubectl } from '../e2e/support/kubectl.ts';
import { onCluster } from '../e2e/support/on-cluster.ts';
import { startUp, vimana } from '../e2e/support/vimana.ts';

const SLOW = 120_000;
const operation = (kind: string, more = '') => `
apiVersion: hypersdk.io/v1alpha1
kind: VMOperation
metadata: {name: tiny-${kind}}
spec:
  vmRef: {name: tiny, apiGroup: novacron.io}
  operation: ${kind}
${more}`;

/** Common tasks with a VirtualMachine of novacron.io and kubectl. */
describe.skipIf(!hasKubectl())('a VM of novacron.io on vimana up', () => {
  const flags = ['--dialects', 'hypersdk,novacron', '--ephemeral', '--empty', '--nodes', '3'];
  const cluster = onCluster(() => startUp(flags), SLOW);
  const { ok, field } = cluster;
  const TINY = 'virtualmachines.novacron.io/tiny';
  const wait = (what: string, condition: string) => ok(`wait ${what} --for=${condition} --timeout=60s`);
  async function operate(kind: string, more = ''): Promise<void> {
    await ok('create -f -', operation(kind, more));
    await wait(`vmop/tiny-${kind}`, 'condition=Succeeded');
  }

  it(
    'runs, is captured, migrated, cloned and restored by operations, and is deleted with its disks',
    async () => {
      await ok('apply -f examples/novacron/vm-minimal.yaml');
      for (const condition of ['Ready', 'LiveMigratable']) await wait(TINY, `condition=${condition}`);
      expect(await ok(`get ${TINY}`)).toMatch(/^NAME +PHASE +NODE +IP +AGE\ntiny +Running +\S+ +[0-9.]+ +/);
      expect(await ok('get vmi,pvc -o name')).toBe(
        'virtualmachineinstance.kubevirt.io/tiny.novacron\npersistentvolumeclaim/tiny.novacron-root\n',
      );
      expect(vimana(cluster.target, 'vm', 'list').stdout).toMatch(/tiny +novacron\.io +Running/);
      const from = await field(TINY, '.status.nodeName');
      await operate('snapshot', '  snapshotSpec: {name: kept}');
      await operate('migrate');
      await wait(TINY, 'jsonpath={.status.migration.state}=Succeeded');
      expect(await field(TINY, '.status.nodeName')).not.toBe(from);
      await operate('restore', '  restoreSpec: {snapshotName: kept}');
      await operate('clone', '  cloneSpec: {targetName: tiny-2, startAfterClone: true}');
      await wait('virtualmachines.novacron.io/tiny-2', 'condition=Ready');
      await operate('stop');
      await wait(TINY, 'jsonpath={.status.phase}=Stopped');
      await operate('delete');
      await wait(TINY, 'delete');
      await ok('delete virtualmachines.novacron.io/tiny-2 --timeout=60s');
      await wait('pvc --all', 'delete');
    },
    SLOW,
  );

  it('is accepted as documented, and reports unsupported fields that it waits for', async () => {
    const { code, err } = await cluster.kubectl.run([
      'apply',
      '-f',
      'test/fixtures/documented/003-virtual-machine.yaml',
    ]);
    expect(code).toBe(0);
    for (const name of ['template.spec.devices', 'template.spec.lifecycle.preStart', 'snapshotPolicy']) {
      expect(err).toContain(`Warning: spec.${name} is not supported yet, and the VM will not start with it: `);
    }
    const machine = 'virtualmachines.novacron.io/example-vm';
    await wait(machine, 'jsonpath={.status.phase}=Pending');
    expect(await field(machine, '.status.conditions[?(@.type=="Ready")].reason')).toBe('NotServed');
    await ok(`delete ${machine} --timeout=60s`);
  });
});
