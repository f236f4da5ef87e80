import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMS } from '#api/kubevirt/resources';
import { virtualMachine } from '#api/kubevirt/virtual-machine';
import type { KubeObject } from '#platform/kube/kube-object';
import { startVmHarness, type VmHarness } from '#testing/vm-harness';
import { type AdmissionRecheck, AdmissionRechecks } from './admission-recheck.ts';

/** Rejects every object with the label. */
const recheck: AdmissionRecheck = (_kind, { metadata, ...object }) => {
  const { template } = object['spec'] as { template?: { metadata?: { labels?: Record<string, string> } } };
  if (template?.metadata?.labels?.['bad'] === undefined) return undefined;
  return { reason: 'Invalid', message: `VirtualMachine "${metadata.name}" is invalid: all of it` };
};
const template = (labels: object) => ({
  metadata: { labels },
  spec: { domain: { devices: {}, memory: { guest: '64Mi' } } },
});
const bad = { runStrategy: 'Always', template: template({ bad: 'yes' }) };
const good = { runStrategy: 'Always', template: template({ bad: null }) };

describe('a VM that admission would have rejected', () => {
  let harness: VmHarness;
  beforeEach(async () => {
    harness = await startVmHarness();
  });
  afterEach(() => harness.stop());
  const reported = () => harness.until(async () => (await harness.condition('Failure'))?.reason === 'Invalid');

  it('reports that, and is not started until it is corrected', async () => {
    harness.control({ recheck });
    await harness.make('web', bad);
    await reported();
    expect(await harness.condition('Failure')).toMatchObject({
      status: 'True',
      message: 'VirtualMachine "web" is invalid: all of it',
    });
    expect(await harness.status()).toMatchObject({ desiredGeneration: 1, created: false, printableStatus: 'Stopped' });
    expect(await harness.instance('web')).toBeUndefined();
    expect(harness.told).toEqual(['Warning Invalid']);
    await harness.edit('web', good);
    await harness.untilMade();
    await harness.until(async () => (await harness.condition('Failure')) === undefined);
  });

  it('keeps running if it runs already', async () => {
    harness.control({ recheck });
    const before = await harness.running(good);
    await harness.edit('web', { ...bad, runStrategy: 'Halted' });
    await reported();
    expect(await harness.status()).toMatchObject({ printableStatus: 'Running' });
    expect((await harness.instance('web'))?.metadata).toMatchObject({ uid: before.metadata.uid });
    expect((await harness.instance('web'))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('can be deleted, and its instance with it', async () => {
    harness.control({ recheck });
    await harness.running(good);
    await harness.edit('web', bad);
    await reported();
    await harness.admin.delete(VMS, 'web', { namespace: 'default' });
    await harness.ends();
    await harness.untilAway();
  });
});

describe('reviews', () => {
  it('check each generation once, and another object of the same name again', () => {
    const seen: string[] = [];
    const reviews = new AdmissionRechecks(virtualMachine, (_kind, { metadata }) => {
      seen.push(`${metadata.uid}/${metadata.generation}`);
      return undefined;
    });
    const at = (uid: string, generation: number) => ({ metadata: { name: 'a', uid, generation } }) as KubeObject;
    for (const object of [at('1', 1), at('1', 1), at('1', 2), at('1', 2), at('2', 2)]) reviews.of('default/a', object);
    reviews.forget('default/a');
    reviews.of('default/a', at('2', 2));
    expect(seen).toEqual(['1/1', '1/2', '2/2', '2/2']);
  });
});
