import type { Random } from '#platform/base/random';
import { corrupted } from '../plausible.ts';
import { collection, MERGE_PATCH, type Step } from '../step.ts';

/** Quotas and limit ranges, and creations that they allow, change or reject. */
export function quotas(random: Random): Step[] {
  const hard = Object.fromEntries(
    (
      [
        ['pods', '2'],
        ['requests.cpu', '1'],
        ['limits.memory', '1Gi'],
        ['count/configmaps', '2'],
        ['services', '1'],
        ['services.nodeports', '1'],
        ['requests.storage', '5Gi'],
        ['count/gadgets.differential.example', '1'],
        ['persistentvolumeclaims', '2'],
      ] as const
    ).filter(() => random.next() < 0.5),
  );
  const scoped = random.next() < 0.3 ? { scopes: [random.pick(['BestEffort', 'NotBestEffort', 'Terminating'])] } : {};
  const limits = [
    {
      type: 'Container',
      default: { cpu: '200m' },
      defaultRequest: { memory: '64Mi' },
      max: { cpu: '500m' },
      min: { cpu: '50m' },
    },
    { type: 'Pod', max: { memory: '512Mi' } },
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    { type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1Gi' } },
  ].filter(() => random.next() < 0.5);
  const steps: Step[] = [];
  const path = collection('v1', 'resourcequotas');
  if (random.next() < 0.8) {
    const spec = { hard: { ...(Object.keys(hard).length === 0 ? { pods: '1' } : hard) }, ...scoped };
    steps.push({
      method: 'POST',
      path,
      body: { metadata: { name: 'q' }, spec: random.next() < 0.2 ? corrupted(random, spec) : spec },
    });
    const used = Object.fromEntries(Object.keys(spec.hard).map((name) => [name, '0']));
    steps.push({
      method: 'PATCH',
      path: `${path}/q/status`,
      contentType: MERGE_PATCH,
      body: { status: { hard: spec.hard, used } },
    });
  }
  if (limits.length > 0 && random.next() < 0.7) {
    const spec = { limits };
    steps.push({
      method: 'POST',
      path: collection('v1', 'limitranges'),
      body: { metadata: { name: 'l' }, spec: random.next() < 0.3 ? corrupted(random, spec) : spec },
    });
  }
  const first = steps.length;
  for (let left = random.int(6, 10); left > 0; left--) steps.push(creation(random, left));
  steps[first] = { ...(steps[first] as Step), after: 150 };
  steps.push({ method: 'GET', path }, { method: 'GET', path: collection('v1', 'limitranges') });
  return steps;
}

function creation(random: Random, at: number): Step {
  const amount = () =>
    random.pick([
      {},
      { cpu: '100m' },
      { cpu: '600m', memory: '64Mi' },
      { memory: '600Mi' },
      { cpu: '10m' },
      { cpu: '0' },
      { memory: '-1' },
    ]);
  const metadata = { name: `o${at}` };
  const storage = random.pick(['1Gi', '3Gi', '500Mi']);
  const choices: readonly Step[] = [
    {
      method: 'POST',
      path: collection('v1', 'pods'),
      body: {
        metadata,
        spec: {
          containers: [{ name: 'c', image: 'i', resources: { requests: amount(), limits: amount() } }],
          ...(random.next() < 0.3
            ? { initContainers: [{ name: 'i', image: 'i', resources: { requests: amount() } }] }
            : {}),
          ...(random.next() < 0.2 ? { activeDeadlineSeconds: 5 } : {}),
        },
      },
    },
    { method: 'POST', path: collection('v1', 'configmaps'), body: { metadata } },
    {
      method: 'POST',
      path: collection('v1', 'services'),
      body: { metadata, spec: { type: random.pick(['ClusterIP', 'NodePort']), ports: [{ port: 80 }] } },
    },
    {
      method: 'POST',
      path: collection('v1', 'persistentvolumeclaims'),
      body: { metadata, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } },
    },
    {
      method: 'POST',
      path: collection('differential.example/v1', 'gadgets'),
      body: { apiVersion: 'differential.example/v1', kind: 'Gadget', metadata, spec: {} },
    },
  ];
  return choices[random.pick([0, 0, 0, 1, 2, 3, 4])] as Step;
}
