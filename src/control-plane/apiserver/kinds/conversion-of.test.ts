import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import { conversionOf } from './conversion-of.ts';
// Responses of Kubernetes 1.36 with one object in both versions.
import answers from './conversions.data.json' with { type: 'json' };

const newer = conversionOf('events.k8s.io', 'v1', 'events');
const older = conversionOf('autoscaling', 'v1', 'horizontalpodautoscalers');

describe('events of both groups', () => {
  it.each(answers.events)('are converted to one stored object: $core.reason', async ({ core, newer: expected }) => {
    expect(await newer.fromStorage?.([core as KubeObject])).toEqual([expected]);
    expect(await newer.toStorage?.(expected as KubeObject)).toEqual(core);
  });
});

describe('an autoscaler', () => {
  it.each(answers.autoscalers)('is converted to the older version as by Kubernetes: $older.spec', async (response) => {
    expect(await older.fromStorage?.([response.stored as unknown as KubeObject])).toEqual([response.older]);
  });

  it.each(answers.autoscalers)(
    'keeps all fields when it is written in the older version: $older.spec',
    async (response) => {
      const stored = (await older.toStorage?.(response.older)) as KubeObject & typeof response.stored;
      // The CPU metric comes last when it is read back, wherever it was.
      const isCpu = (metric: object) => (metric as { resource?: { name: string } }).resource?.name === 'cpu';
      const sorted = ({ metrics, ...spec }: typeof response.stored.spec) => ({
        ...spec,
        metrics: [...metrics.filter((metric) => !isCpu(metric)), ...metrics.filter(isCpu)],
      });
      expect(sorted(stored.spec)).toEqual(sorted(response.stored.spec));
      expect(await older.fromStorage?.([stored])).toEqual([response.older]);
    },
  );

  it('is converted even if its annotations are not JSON', async () => {
    const [response] = answers.autoscalers;
    const corrupted = structuredClone(response?.older) as unknown as KubeObject;
    corrupted.metadata.annotations = { 'autoscaling.alpha.kubernetes.io/metrics': '[', keep: 'me' };
    expect(await older.toStorage?.(corrupted)).toEqual(response?.stored);
  });
});

it('returns no conversion for other resources', () => {
  expect(conversionOf('', 'v1', 'pods')).toEqual({});
  expect(conversionOf('autoscaling', 'v2', 'horizontalpodautoscalers')).toEqual({});
});
