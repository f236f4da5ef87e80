import fc from 'fast-check';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { HOSTNAME, node, pod, ZONE } from './harness.fixture.ts';

/** Generates random clusters and pods for property tests. */

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const app = fc.constantFrom('a', 'b', 'c');
const selector = app.map((value) => ({ matchLabels: { app: value } }));
const topologyKey = fc.constantFrom(HOSTNAME, ZONE);
const term = fc.record({ topologyKey, labelSelector: selector });
const weighted = fc.record({ weight: fc.integer({ min: 1, max: 100 }), podAffinityTerm: term });
const rules = fc.record(
  { [REQUIRED]: fc.array(term, { maxLength: 1 }), [PREFERRED]: fc.array(weighted, { maxLength: 2 }) },
  { requiredKeys: [] },
);

export const someNode = (name: string): fc.Arbitrary<Node> =>
  fc
    .record({
      zone: fc.option(fc.constantFrom('x', 'y')),
      cpu: fc.constantFrom('2', '4', '8'),
      pods: fc.constantFrom('3', '10'),
      taints: fc.subarray([
        { key: 'k', effect: 'NoSchedule' },
        { key: 'k', effect: 'PreferNoSchedule' },
      ]),
      unschedulable: fc.boolean(),
      images: fc.subarray(['i:1', 'j:1']),
    })
    .map(({ zone, cpu, pods, taints, unschedulable, images }) =>
      node(name, {
        ...(zone === null ? {} : { labels: { [ZONE]: zone } }),
        allocatable: { cpu, pods },
        taints,
        unschedulable: unschedulable && name.endsWith('0'),
        images: Object.fromEntries(images.map((image) => [image, 100_000_000])),
      }),
    );

export const somePod = (name: string): fc.Arbitrary<Pod> =>
  fc
    .record({
      label: app,
      priority: fc.constantFrom(0, 10, 20),
      cpu: fc.constantFrom('100m', '500m', '1', '2'),
      podAffinity: fc.option(rules),
      podAntiAffinity: fc.option(rules),
      spread: fc.array(
        fc.record({
          topologyKey,
          maxSkew: fc.integer({ min: 1, max: 2 }),
          whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
          labelSelector: selector,
        }),
        { maxLength: 1 },
      ),
      tolerates: fc.boolean(),
      deleted: fc.constantFrom(false, false, false, true),
    })
    .map(({ label, priority, cpu, podAffinity, podAntiAffinity, spread, tolerates, deleted }) =>
      pod(name, {
        labels: { app: label },
        priority,
        requests: { cpu },
        deleted,
        topologySpreadConstraints: spread,
        ...(tolerates ? { tolerations: [{ operator: 'Exists' }] } : {}),
        affinity: {
          ...(podAffinity === null ? {} : { podAffinity }),
          ...(podAntiAffinity === null ? {} : { podAntiAffinity }),
        },
      }),
    );
