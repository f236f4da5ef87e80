import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import type { HttpClient } from '#platform/kube/http/http-client';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { PODS } from '#platform/kube/kinds/pod';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { createMachines, oddInstances, untilRunning } from '../operator/fleet-of-machines.ts';
import { type Installation, installChart } from '../operator/installation.ts';
import { type EarlierVersion, earlierVersion, upgradeFrom, upgradeTitle } from './earlier-version.ts';

const TIMEOUT = { timeout: 60_000, interval: 200 };
const namespace = 'default';
const NAMES = Array.from({ length: 12 }, (_, at) => `machine-${at}`);
/** Time in which the new operator could do harm. */
const WATCHED_MS = 10_000;
const from = upgradeFrom();

describe.skipIf(missingAssets().length > 0)(upgradeTitle(from), () => {
  let earlier: EarlierVersion;
  let cluster: RealCluster;
  let client: HttpClient;
  let installed: Installation;

  beforeAll(async () => {
    earlier = earlierVersion(from);
    cluster = await startRealCluster({ nodes: 4 });
    client = await cluster.client();
    installed = await installChart(cluster, { tree: earlier.folder });
    await (await installed.startReplica()).untilReady();
    await vi.waitFor(() => createMachines(client, namespace, ['first']), TIMEOUT);
    await createMachines(client, namespace, NAMES);
    await client.create(VMS, stopped('off') as never, { namespace });
    await untilRunning(client, namespace, NAMES.length + 1, 60_000);
  });
  afterAll(async () => {
    await installed?.stop();
    await cluster?.stop();
    earlier?.remove();
  });

  /** Values that would change after a restart. */
  async function lives(): Promise<Record<string, unknown>> {
    const vmis = (await client.list(VMIS, { namespace })).items;
    const pods = (await client.list(PODS, { namespace })).items;
    const started = (status: unknown) => (status as { startTime?: string } | undefined)?.startTime;
    return Object.fromEntries([
      ...vmis.map(({ metadata, status }) => [
        `VMI ${metadata.name}`,
        [metadata.uid, status?.phase, status?.nodeName, status?.phaseTransitionTimestamps],
      ]),
      ...pods.map(({ metadata, status, spec }) => [
        `Pod ${metadata.name}`,
        [metadata.uid, status?.phase, spec.nodeName, started(status), metadata.deletionTimestamp],
      ]),
    ]) as Record<string, unknown>;
  }
  const generations = async () =>
    Object.fromEntries(
      (await client.list(VMS, { namespace })).items.map(({ metadata }) => [metadata.name, metadata.generation]),
    );

  it('restarts no instance and no pod, and changes no spec', async () => {
    const before = [await lives(), await generations()];
    await installed.replicas[0]?.stop();
    await installed.upgrade();
    await (await installed.startReplica()).untilReady();
    await realClock.sleep(WATCHED_MS);
    expect([await lives(), await generations()]).toEqual(before);
    expect(Object.keys(before[0] ?? {})).toHaveLength(2 * (NAMES.length + 1));
    expect(await oddInstances(client, namespace)).toEqual([]);
  });

  it('leaves every stored version served and valid', async () => {
    for (const { metadata, ...definition } of (await client.list(CUSTOM_RESOURCE_DEFINITIONS)).items) {
      const { status, spec } = definition as unknown as {
        status: { storedVersions: string[]; conditions: { type: string; status: string }[] };
        spec: { versions: { name: string; served: boolean }[] };
      };
      const served = spec.versions.filter((each) => each.served).map(({ name }) => name);
      expect([metadata.name, served]).toEqual([metadata.name, expect.arrayContaining(status.storedVersions)]);
      const odd = status.conditions.filter(({ type }) => type === 'NonStructuralSchema' || type === 'Terminating');
      expect(odd).toEqual([]);
    }
    // Existing VMs are validated by new rules.
    const body = { metadata: { labels: { upgraded: 'yes' } } };
    await client.patch(VMS, 'first', { type: 'merge', body }, { namespace });
  });

  it('lets the new operator start, stop and delete existing VMs', async () => {
    const edit = (name: string, running: boolean) =>
      client.patch(VMS, name, { type: 'merge', body: { spec: { running } } }, { namespace });
    await edit('off', true);
    await edit('first', false);
    await client.delete(VMS, 'machine-0', { namespace });
    await vi.waitFor(async () => {
      const { items } = await client.list(VMS, { namespace });
      const states = new Map(items.map(({ metadata, status }) => [metadata.name, status?.printableStatus]));
      expect([states.get('off'), states.get('first'), states.has('machine-0')]).toEqual(['Running', 'Stopped', false]);
    }, TIMEOUT);
  });
});

function stopped(name: string): object {
  return {
    metadata: { name, namespace },
    spec: { running: false, template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
  };
}
