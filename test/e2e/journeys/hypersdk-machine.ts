import { describe, expect, it, vi } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';
import { vimana } from '../support/vimana.ts';

const TIMEOUT = { timeout: 60_000, interval: 100 };
const SLOW = 120_000;

const machine = (name: string, more = '') => `
apiVersion: hypersdk.io/v1alpha1
kind: VirtualMachine
metadata: {name: ${name}}
spec:
  cpus: 2
  memory: 2Gi
  image: {source: "https://images.example.org/debian-12.qcow2"}
  labels: {app: ${name}}
${more}`;
const DISKS = `
  disks:
  - {name: root, size: 20Gi, bootOrder: 1}
  - {name: data, size: 5Gi, storageClass: fast-ssd}
  networks: [{name: default, type: pod-network}]
`;
const AVAILABLE = `
  disks: [{name: root, size: 1Gi}]
  highAvailability: {enabled: true, restartDelay: 1s, evictionStrategy: Shutdown}
`;

/** Common tasks with a VirtualMachine of hypersdk.io, on any cluster with the operator and three nodes. */
export function hypersdkMachineJourney(where: { readonly name: string; readonly start: () => Promise<Target> }): void {
  describe.skipIf(!hasKubectl())(`a VM of hypersdk.io on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start, 300_000);
  const { ok, field } = cluster;
  const wait = (what: string, condition: string) => ok(`wait ${what} --for=${condition} --timeout=60s`);
  const phase = (name: string, value: string) => wait(`vm/${name}`, `jsonpath={.status.phase}=${value}`);
  const run = (name: string, running: boolean) =>
    ok(`patch vm ${name} --type=merge -p {"spec":{"running":${running}}}`);

  it(
    'runs, with its own disks, name and address',
    async () => {
      await ok('apply -f -', machine('web', DISKS));
      for (const condition of ['Ready', 'DiskReady', 'NetworkReady']) await wait('vm/web', `condition=${condition}`);
      expect(await ok('get vm web')).toMatch(
        /^NAME +STATUS +CPUS +MEMORY +NODE +IPS +AGE\nweb +Running +2 +2Gi +\S+ +[0-9.]+ +/,
      );
      expect(await ok('get pvc -l vm=web -o name')).toBe(
        'persistentvolumeclaim/web-data\npersistentvolumeclaim/web-root\n',
      );
      expect(await field('service/web', '.spec.clusterIP} {.spec.selector.vm')).toBe('None web');
      expect(await field('pods -l app=web', '.items[*].status.phase')).toBe('Running');
      expect(vimana(cluster.target, 'vm', 'list').stdout).toMatch(/web +hypersdk\.io +Running/);
    },
    SLOW,
  );

  it(
    'is stopped and started again, with the same disks and address',
    async () => {
      const known = () => field('vm/web', '.status.interfaces[0].ipAddress');
      const [address, uid] = [await known(), await field('pvc/web-root', '.metadata.uid')];
      await run('web', false);
      await phase('web', 'Stopped');
      expect(await ok('get vmi,pods -o name')).toBe('');
      expect(await ok('get pvc -l vm=web -o name')).toContain('web-root');
      await run('web', true);
      await wait('vm/web', 'condition=Ready');
      expect([await known(), await field('pvc/web-root', '.metadata.uid')]).toEqual([address, uid]);
    },
    SLOW,
  );

  it(
    'starts on another node when its node is drained, as configured',
    async () => {
      await ok('apply -f -', machine('db', AVAILABLE));
      await wait('vm/db', 'condition=Ready');
      const node = await field('vm/db', '.status.nodeName');
      await ok(`drain ${node} --pod-selector=vm=db --ignore-daemonsets --timeout=60s`);
      await vi.waitFor(async () => expect(await field('vm/db', '.status.nodeName')).not.toBe(node), TIMEOUT);
      await wait('vm/db', 'condition=Ready');
      expect(await field('vm/db', '.status.restartCount')).toBe('0');
      const events = () => ok('get events --field-selector involvedObject.name=db');
      await vi.waitFor(async () => expect(await events()).toContain('LeavingNode'), TIMEOUT);
      await ok(`uncordon ${node}`);
    },
    SLOW,
  );

  it(
    'is deleted with everything that was created for it',
    async () => {
      await ok('delete vm web db --timeout=60s');
      const left = () => ok('get vm,vmi,pods,pvc -o name');
      await vi.waitFor(async () => expect(await left()).toBe(''), TIMEOUT);
      await vi.waitFor(async () => expect(await ok('get service -o name')).toBe('service/kubernetes\n'), TIMEOUT);
    },
    SLOW,
  );
}
