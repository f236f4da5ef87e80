import type { Random } from '#platform/base/random';
import { collection, MERGE_PATCH, NAMESPACE, STRATEGIC_PATCH, type Step, versionOf } from '../step.ts';

/** Subresources of pods, deployments and namespaces, as controllers and nodes use them. */
export function workloads(random: Random): Step[] {
  const pod = {
    metadata: { name: 'p', labels: { app: 'x' } },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      ...(random.next() < 0.3 ? { schedulingGates: [{ name: 'a.b/c' }] } : {}),
    },
  };
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'x' } }, template };
  const budget = { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'x' } }, minAvailable: 1 } };
  const steps: Step[] = [
    { method: 'POST', path: collection('v1', 'pods'), body: pod },
    { method: 'POST', path: collection('apps/v1', 'deployments'), body: { metadata: { name: 'd' }, spec } },
    ...(random.next() < 0.4
      ? [{ method: 'POST', path: collection('policy/v1', 'poddisruptionbudgets'), body: budget }]
      : []),
  ];
  for (let left = random.int(8, 14); left > 0; left--) steps.push(random.pick(STEPS)(random));
  return steps;
}

const POD = `${collection('v1', 'pods')}/p`;
const DEPLOYMENT = `${collection('apps/v1', 'deployments')}/d`;
const patch = (path: string, body: unknown, contentType = MERGE_PATCH): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType,
});

const STEPS: readonly ((random: Random) => Step)[] = [
  (random) => ({
    method: 'POST',
    path: `${POD}/binding`,
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: random.pick(['p', 'p', 'q', '']) },
      target: random.pick<object>([{ kind: 'Node', name: 'n1' }, { name: 'n2' }, { kind: 'Pod', name: 'x' }, {}]),
    },
  }),
  (random) =>
    patch(
      `${POD}/status`,
      {
        status: random.pick<object>([
          { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
          { phase: 'Failed', reason: 'Evicted', message: 'm' },
          { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
          { podIP: '10.0.0.1' },
          { phase: 'Nothing' },
          {
            containerStatuses: [
              { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 1, state: { running: {} } },
            ],
          },
          { qosClass: 'Guaranteed' },
          { nominatedNodeName: 'n9' },
        ]),
      },
      random.pick([MERGE_PATCH, STRATEGIC_PATCH]),
    ),
  (random) =>
    patch(
      POD,
      {
        spec: random.pick<object>([
          { containers: [{ name: 'c', image: 'j' }] },
          { containers: [{ name: 'c', image: '' }] },
          { nodeName: 'n3' },
          { activeDeadlineSeconds: 5 },
          { activeDeadlineSeconds: null },
          { schedulingGates: [] },
          { tolerations: [{ operator: 'Exists' }] },
          { priority: 5 },
          { terminationGracePeriodSeconds: 3 },
          { nodeSelector: { a: 'b' } },
        ]),
      },
      STRATEGIC_PATCH,
    ),
  (random) => ({
    method: 'POST',
    path: `${POD}/eviction`,
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: random.pick(['p', 'q']) },
      ...(random.next() < 0.5 ? { deleteOptions: { dryRun: ['All'] } } : {}),
    },
  }),
  (random) =>
    patch(
      `${POD}/resize`,
      {
        spec: {
          containers: [
            {
              name: 'c',
              resources: random.pick<object>([
                { requests: { cpu: '1' } },
                { limits: { cpu: '-1' } },
                { requests: { x: '1' } },
              ]),
            },
          ],
        },
      },
      STRATEGIC_PATCH,
    ),
  (random) =>
    patch(
      `${POD}/ephemeralcontainers`,
      {
        spec: {
          ephemeralContainers: [
            {
              name: random.pick(['e', 'c', 'f']),
              image: 'i',
              ...random.pick<object>([{}, { ports: [{ containerPort: 1 }] }, { targetContainerName: 'x' }]),
            },
          ],
        },
      },
      STRATEGIC_PATCH,
    ),
  (random) => patch(`${DEPLOYMENT}/scale`, { spec: { replicas: random.pick<unknown>([1, 5, -1, 'x']) } }),
  (random) => ({
    method: 'PUT',
    path: `${DEPLOYMENT}/scale`,
    body: {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: {
        name: 'd',
        namespace: NAMESPACE,
        ...(random.next() < 0.5 ? { resourceVersion: versionOf(DEPLOYMENT, random.int(0, 1)) } : {}),
      },
      spec: { replicas: random.int(1, 4) },
    },
  }),
  () => ({ method: 'GET', path: `${DEPLOYMENT}/scale` }),
  (random) =>
    patch(
      DEPLOYMENT,
      {
        spec: random.pick<object>([
          { replicas: 3 },
          { selector: { matchLabels: { app: 'y' } } },
          { template: { metadata: { labels: { app: 'y' } } } },
          { strategy: { type: 'Recreate' } },
          { strategy: { type: 'Recreate', rollingUpdate: null } },
          { paused: true },
          { minReadySeconds: 700 },
          { progressDeadlineSeconds: 5 },
        ]),
      },
      random.pick([MERGE_PATCH, STRATEGIC_PATCH]),
    ),
  (random) =>
    patch(`${DEPLOYMENT}/status`, {
      status: random.pick<object>([
        { replicas: 1, readyReplicas: 2 },
        { replicas: 2, readyReplicas: 1, availableReplicas: 1 },
        { replicas: -1 },
        { observedGeneration: 9 },
        { conditions: [{ type: 'Available', status: 'True' }] },
      ]),
      spec: { replicas: 9 },
    }),
  (random) => ({
    method: 'GET',
    path: random.pick([POD, DEPLOYMENT]),
    accept: random.pick([
      'application/json',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    ]),
  }),
  (random) => ({
    method: 'DELETE',
    path: POD,
    body: random.pick<object>([{ gracePeriodSeconds: 0 }, {}, { gracePeriodSeconds: 10 }]),
  }),
  (random) =>
    patch(
      `/api/v1/namespaces/${NAMESPACE}`,
      random.pick<object>([
        { metadata: { labels: { a: 'b' } } },
        { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } },
        { spec: { finalizers: [] } },
        { spec: { finalizers: ['x.y/z'] } },
        { status: { phase: 'Terminating' } },
      ]),
    ),
];
