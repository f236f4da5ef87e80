import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIS, VMS, type Vm } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { DEPLOYMENTS } from '#platform/kube/kinds/workloads';
import { isNotFound } from '#platform/kube/kube-error';
import { missingAssets } from './assets.ts';
import { installOperator } from './installed.ts';
import { type OnVimana, startOnVimana } from './on-vimana.ts';

const NODES = 10;
const FLEET = 100;
const TIMEOUT = { timeout: 120_000, interval: 500 };
const namespace = 'fleet';

const machine = (name: string): Vm =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy: 'Always',
      template: { spec: { domain: { memory: { guest: '1Gi' }, devices: {} } } },
    },
  }) as Vm;

/** The programs of Kubernetes must work with this API server as with kube-apiserver. */
describe.skipIf(missingAssets().length > 0)(
  'kube-scheduler, kube-controller-manager and KWOK on vimana apiserver',
  () => {
    let plane: OnVimana;
    let client: Client;

    beforeAll(async () => {
      plane = await startOnVimana(NODES);
      await installOperator(plane, { dialects: ['kubevirt'], serving: false });
      client = await plane.access.client();
      await client.create(NAMESPACES, { metadata: { name: namespace } });
    });
    afterAll(() => plane?.stop());

    it('schedule and start a fleet of VMs', async () => {
      await Promise.all(Array.from({ length: FLEET }, (_, i) => client.create(VMS, machine(`vm-${i}`))));
      await vi.waitFor(async () => {
        const { items } = await client.list(VMS, { namespace });
        expect(items.filter(({ status }) => status?.printableStatus === 'Running')).toHaveLength(FLEET);
      }, TIMEOUT);
      const { items: pods } = await client.list(PODS, { namespace });
      expect(pods).toHaveLength(FLEET);
      const perNode = Object.groupBy(pods, ({ spec }) => spec.nodeName ?? 'nowhere');
      // The default scores of kube-scheduler spread similar pods.
      expect(Object.keys(perNode)).toHaveLength(NODES);
      const { items: instances } = await client.list(VMIS, { namespace });
      for (const { metadata, status } of instances) {
        const pod = pods.find((each) => each.metadata.ownerReferences?.[0]?.uid === metadata.uid);
        expect(status).toMatchObject({ phase: 'Running', nodeName: pod?.spec.nodeName });
      }
    });

    it('garbage-collect the dependents of a deleted VM', async () => {
      await client.delete(VMS, 'vm-0', { namespace, propagationPolicy: 'Foreground' });
      await vi.waitFor(async () => {
        expect((await client.list(VMS, { namespace })).items).toHaveLength(FLEET - 1);
        expect((await client.list(PODS, { namespace })).items).toHaveLength(FLEET - 1);
      }, TIMEOUT);
    });

    it('roll out a Deployment with a volume', async () => {
      const resources = { requests: { storage: '1Gi' } };
      await client.create(PERSISTENT_VOLUME_CLAIMS, {
        metadata: { name: 'data', namespace },
        spec: { accessModes: ['ReadWriteMany'], resources, storageClassName: 'fast-ssd' },
      });
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
      const containers = [{ name: 'web', image: 'nginx' }];
      await client.create(DEPLOYMENTS, {
        metadata: { name: 'web', namespace },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers, volumes } },
        },
      });
      await vi.waitFor(async () => {
        const { status } = await client.get(DEPLOYMENTS, 'web', { namespace });
        expect(status).toMatchObject({ availableReplicas: 3, readyReplicas: 3, updatedReplicas: 3 });
      }, TIMEOUT);
      expect((await client.get(PERSISTENT_VOLUME_CLAIMS, 'data', { namespace })).status?.phase).toBe('Bound');
    });

    it('delete the contents of a namespace', async () => {
      await client.delete(NAMESPACES, namespace);
      await vi.waitFor(async () => {
        const gone = await client.get(NAMESPACES, namespace).then(() => false, isNotFound);
        expect(gone).toBe(true);
      }, TIMEOUT);
    });

    it('log no errors', () => {
      const complaints = Object.values(plane.programs).flatMap((program) => {
        expect(program.running).toBe(true);
        return program.log().split('\n').filter(isComplaint);
      });
      expect(complaints).toEqual([]);
    });
  },
);

/** Returns those errors in the logs of klog and KWOK that report an unexpected response. */
function isComplaint(line: string): boolean {
  const isError = /^E\d{4} /.test(line) || line.includes('"level":"ERROR"');
  return (
    isError && /forbidden|could not find the requested resource|unmarshal|decode|not found|unknown|invalid/i.test(line)
  );
}
