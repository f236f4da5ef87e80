import { describe, expect, it } from 'vitest';
import { VM_TEMPLATES } from '#api/hypersdk/resources';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { isNotFound } from '#platform/kube/kube-error';
import { namespace, templateHarness } from './harness.fixture.ts';
import type { ImageProbeResult } from './image-probe.ts';

const harness = templateHarness();
const settled = async (name: string) => {
  await harness.cluster.clock.advance(200);
  await harness.cluster.settle();
  return (await harness.template(name)).status;
};
const conditionsOf = (status: Awaited<ReturnType<typeof settled>>) =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, ...rest }) => [type, rest]));

describe('a template', () => {
  it('is ready although its image was not checked', async () => {
    harness.start();
    await harness.makeTemplate('debian', { image: { source: 's3://images/debian.qcow2', size: '12Gi' } });
    const status = await settled('debian');
    expect(status).toMatchObject({ ready: true, usageCount: 0, size: '12Gi', observedGeneration: 1 });
    expect(conditionsOf(status)).toMatchObject({
      Valid: { status: 'True' },
      ImageAccessible: { status: 'Unknown', reason: 'NotChecked' },
      Ready: { status: 'True' },
      InUse: { status: 'False' },
    });
  });

  it('reports that a digest is not verified', async () => {
    harness.start();
    const checksum = { type: 'sha256', value: 'ab'.repeat(32) };
    await harness.makeTemplate('debian', { image: { source: 's3://images/debian.qcow2', checksum } });
    expect(conditionsOf(await settled('debian'))['ImageAccessible']).toMatchObject({
      message: 'the image was not checked: simulated VMs do not download images; its sha256 is not verified here',
    });
  });

  it('reports all its errors if it was stored without admission', async () => {
    harness.start({ recheck: () => ({ reason: 'Invalid', message: 'two causes: a, b' }) });
    await harness.makeTemplate('debian');
    const status = await settled('debian');
    expect(status?.ready).toBe(false);
    expect(conditionsOf(status)).toMatchObject({
      Valid: { status: 'False', reason: 'Invalid', message: 'two causes: a, b' },
      Ready: { status: 'False', reason: 'Invalid', message: 'two causes: a, b' },
    });
  });

  it('always reports how many VMs of any namespace refer to it', async () => {
    await harness.cluster.admitPods('default').catch(() => {});
    harness.start();
    await harness.makeTemplate('debian');
    await harness.makeTemplate('other');
    for (const name of ['a', 'b']) await harness.makeMachine(name, 'debian');
    expect(await settled('debian')).toMatchObject({ usageCount: 2 });
    await harness.removeMachine('a');
    const status = await settled('debian');
    expect(status).toMatchObject({ usageCount: 1 });
    expect(conditionsOf(status)).toMatchObject({ InUse: { status: 'True', message: 'default/b' } });
    expect(await settled('other')).toMatchObject({ usageCount: 0 });
  });

  it('is counted again by an operator that starts later', async () => {
    await harness.makeMachine('a', 'debian');
    await harness.makeTemplate('debian');
    harness.start();
    expect(await settled('debian')).toMatchObject({ usageCount: 1 });
  });

  it('is not written for every one of many VMs, nor for their changes', async () => {
    let writes = 0;
    harness.start({}, (client) => ({
      ...client,
      update: (type, ...rest) => {
        if (type.plural === VM_TEMPLATES.plural) writes += 1;
        return client.update(type, ...rest);
      },
    }));
    await harness.makeTemplate('debian');
    await settled('debian');
    writes = 0;
    for (let i = 0; i < 50; i++) await harness.makeMachine(`m${i}`, 'debian');
    expect(await settled('debian')).toMatchObject({ usageCount: 50 });
    expect(writes).toBeLessThanOrEqual(2);
    writes = 0;
    const spec = { labels: { touched: 'yes' } };
    await harness.admin.patch(
      { ...VM_TEMPLATES, plural: 'virtualmachines', kind: 'VirtualMachine' },
      'm1',
      { type: 'merge', body: { spec } },
      { namespace },
    );
    await settled('debian');
    expect(writes).toBe(0);
  });
});

describe('the deletion of a template', () => {
  it('is rejected while VMs refer to it, with their names', async () => {
    harness.start();
    await harness.makeTemplate('debian');
    await harness.makeMachine('web', 'debian');
    await settled('debian');
    await expect(harness.admin.delete(VM_TEMPLATES, 'debian', { namespace })).rejects.toThrow(
      /the template is in use by default\/web\. Delete these VMs/,
    );
    expect((await harness.template('debian')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('waits for VMs that admission did not see, for as long as there are any', async () => {
    const stop = harness.start();
    await harness.makeTemplate('debian');
    await settled('debian');
    await stop();
    // No controller counts at this time, so that admission knows of no VM.
    for (const name of ['a', 'b']) await harness.makeMachine(name, 'debian');
    await harness.admin.delete(VM_TEMPLATES, 'debian', { namespace });
    harness.start();
    const status = await settled('debian');
    expect(status).toMatchObject({ ready: false, usageCount: 2 });
    expect(conditionsOf(status)['Ready']).toMatchObject({
      reason: 'Deleting',
      message: 'deletion waits until no VM refers to it: default/a, default/b',
    });
    expect(harness.cluster.told.filter((reported) => reported === 'Warning InUse')).toHaveLength(1);
    await harness.removeMachine('a');
    expect(await settled('debian')).toMatchObject({ usageCount: 1 });
    await harness.removeMachine('b');
    await harness.cluster.until(() => harness.template('debian').then(() => false, isNotFound));
  });

  it('completes at once if no VM refers to it', async () => {
    harness.start();
    await harness.makeTemplate('debian');
    await settled('debian');
    await harness.admin.delete(VM_TEMPLATES, 'debian', { namespace });
    await harness.cluster.until(() => harness.template('debian').then(() => false, isNotFound));
  });
});

describe('the image of a template', () => {
  const views: ImageProbeResult[] = [];
  const requested: string[] = [];
  const probe = async (source: string) => {
    requested.push(source);
    return views.shift() ?? { status: 'Unknown' as const, reason: 'Unreachable', message: 'no answer' };
  };

  it('is checked on request, and again after a while', async () => {
    views.push({ status: 'False', reason: 'NotFound', message: 'gone' });
    harness.start({ probe });
    await harness.makeTemplate('debian');
    const missing = await settled('debian');
    expect(missing?.ready).toBe(false);
    expect(conditionsOf(missing)['Ready']).toMatchObject({ reason: 'ImageNotAccessible', message: 'gone' });
    views.push({ status: 'True', reason: 'Found', message: 'there', bytes: 645_922_816 });
    requested.length = 0;
    await harness.cluster.clock.advance(60 * 60_000);
    const found = await settled('debian');
    expect(found).toMatchObject({ ready: true, size: '616Mi' });
    expect(requested).toHaveLength(1);
    expect(Date.parse(found?.lastUpdated ?? '')).toBeGreaterThan(Date.parse(missing?.lastUpdated ?? ''));
  });

  it('on a slow server blocks no other namespace, and is not waited for after the template was deleted', async () => {
    const signals = new Map<string, AbortSignal>();
    const slow = async (source: string, signal: AbortSignal): Promise<ImageProbeResult> => {
      signals.set(source, signal);
      if (source.includes('slow')) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { status: 'True', reason: 'Found', message: 'there' };
    };
    const made = (name: string, place: string, path: string) =>
      harness.admin.create(VM_TEMPLATES, {
        metadata: { name, namespace: place },
        spec: { displayName: name, image: { source: `https://images.example.org/${path}` } },
      });
    await harness.admin.create(NAMESPACES, { metadata: { name: 'other' } });
    harness.start({ probe: slow });
    for (let i = 0; i < 5; i++) await made(`slow-${i}`, namespace, `slow-${i}`);
    await made('debian', 'other', 'debian');
    await harness.cluster.until(async () => {
      const { status } = await harness.admin.get(VM_TEMPLATES, 'debian', { namespace: 'other' });
      return status?.ready === true;
    });
    const aborted = () => [...signals].filter(([, signal]) => signal.aborted).map(([source]) => source);
    expect([signals.size, aborted()]).toEqual([3, []]);
    await harness.admin.delete(VM_TEMPLATES, 'slow-0', { namespace });
    await harness.cluster.until(async () => signals.size === 4);
    expect(aborted()).toEqual(['https://images.example.org/slow-0']);
  });
});
