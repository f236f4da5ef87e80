import { fileURLToPath } from 'node:url';
import { applyConfiguration } from '#control-plane/apiserver/fields/apply';
import { type ManagedKind, updateManagedFields } from '#control-plane/apiserver/fields/managed-fields';
import { builtInKind } from '#control-plane/apiserver/fields/managed-kinds';
import { TypeSchemas } from '#control-plane/apiserver/fields/type-schema';
import { realClock } from '#platform/base/clock';
import type { JsonObject } from '#platform/kube/patches/json-object';
import { applyMergePatch } from '#platform/kube/patches/merge-patch';
import schemas from '../src/control-plane/apiserver/kubernetes/openapi-schemas.data.json' with { type: 'json' };

const types = new TypeSchemas(schemas);
const TIME = '2026-01-01T00:00:00Z';

function podKind(subresource: string): ManagedKind {
  const name = { group: '', version: 'v1', kind: 'Pod', subresource, hasStatus: true };
  const empty = { metadata: {}, spec: { containers: null }, status: {} };
  return builtInKind(name, 'io.k8s.api.core.v1.Pod', empty, types);
}

/** Returns a defaulted pod of about 2 KiB, as a controller creates it. */
function pod(): JsonObject {
  const container = (name: string) => ({
    name,
    image: 'example/launcher:1',
    command: ['/usr/bin/launcher', '--name', 'machine'],
    env: ['A', 'B', 'C'].map((key) => ({ name: key, value: 'value' })),
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
    volumeMounts: [{ name: 'disk', mountPath: '/disk' }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'machine-0',
      namespace: 'default',
      labels: { app: 'machine', 'vimana.io/machine': 'machine-0', tier: 'gold' },
      annotations: { 'vimana.io/owner': 'somebody' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'u-1', controller: true }],
    },
    spec: {
      volumes: [{ name: 'disk', emptyDir: {} }],
      containers: [container('compute'), container('sidecar')],
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeSelector: { 'vimana.io/runtime': 'simulated' },
      securityContext: { runAsUser: 107 },
      schedulerName: 'default-scheduler',
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
      enableServiceLinks: true,
    },
    status: { phase: 'Pending' },
  };
}

function withFields(object: JsonObject, managedFields: unknown): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), managedFields } as JsonObject };
}

/** Prints the time that field management takes of one write. */
export async function run(): Promise<void> {
  const main = podKind('');
  const status = podKind('status');
  const write = { kind: main, manager: 'vimana', time: TIME };
  const fresh = pod();
  const live = withFields(fresh, updateManagedFields(undefined, fresh, write));
  const reread = JSON.parse(JSON.stringify(live)) as JsonObject;
  const labelled = applyMergePatch(live, { metadata: { labels: { tier: 'silver' } } });
  const relabelled = JSON.parse(JSON.stringify(labelled)) as JsonObject;
  const running = applyMergePatch(live, { status: { phase: 'Running', podIP: '10.0.0.1' } });
  const config = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'machine-0', labels: { tier: 'gold', zone: 'a' } },
  };
  const applied = applyConfiguration(live, config, { ...write, manager: 'applier', force: true });
  const owned = withFields(applied.object, applied.managedFields);
  const bytes = JSON.stringify(fresh).length;
  const cases: [string, () => unknown][] = [
    [`create of a pod of ${bytes} bytes`, () => updateManagedFields(undefined, fresh, write)],
    ['update that changes nothing', () => updateManagedFields(live, reread, write)],
    ['update of a label, whole object sent', () => updateManagedFields(live, relabelled, write)],
    ['patch of a label', () => updateManagedFields(live, labelled, write)],
    ['patch of the status', () => updateManagedFields(live, running, { ...write, kind: status, manager: 'node' })],
    ['apply of a label', () => applyConfiguration(owned, config, { ...write, manager: 'applier', force: false })],
  ];
  for (const [name, work] of cases) console.log(`  ${name.padEnd(40)} ${measure(work).toFixed(1).padStart(8)} µs`);
}

/** Returns the microseconds of one call, the best of several rounds, since other work on the host only ever adds. */
function measure(work: () => unknown): number {
  const rounds = 2000;
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 30; i++) {
    const start = realClock.monotonic();
    for (let n = 0; n < rounds; n++) work();
    best = Math.min(best, ((realClock.monotonic() - start) * 1000) / rounds);
  }
  return best;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run();
