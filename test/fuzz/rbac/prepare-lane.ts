import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { waitUntil } from '#testing/wait';
import { learn } from './effects.ts';
import {
  apiVersionOf,
  CERTIFICATE_REQUESTS,
  collectionPath,
  KINDS,
  objectKey,
  RBAC_GROUP,
  RBAC_KINDS,
} from './fuzz-kinds.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { ACCOUNT, type Grant, POOL } from './grants.ts';
import { keyOfPlanted, type Lane, type Planted } from './lane.ts';
import type { StoreView } from './store-view.ts';

const CRDS = new URL('../../../deploy/crds/', import.meta.url);

/** Installs the CRDs of all custom kinds, and waits until they are served. */
export async function prepareTarget(target: FuzzTarget): Promise<void> {
  for (const file of readdirSync(CRDS)) {
    const definition = parse(readFileSync(new URL(file, CRDS), 'utf8')) as object;
    await create(target, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  }
  for (const kind of KINDS.filter(({ custom }) => custom)) {
    await waitUntil(async () => (await target.admin('GET', collectionPath(kind, ''))).status === 200);
  }
}

/** Creates the namespaces and service accounts of a lane. `restoreLane` creates the rest. */
export async function prepareLane(target: FuzzTarget, { names }: Lane): Promise<void> {
  for (const namespace of [names.home, names.foreign]) {
    await create(target, '/api/v1/namespaces', { metadata: { name: namespace } });
    for (const name of ['default', ACCOUNT]) {
      await create(target, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
    }
  }
}

/** Recreates missing objects and grants, and deletes objects that will not be requested again. */
export async function restoreLane(target: FuzzTarget, lane: Lane, view: StoreView, requestPem: string): Promise<void> {
  for (const grant of lane.grants) await restoreGrant(target, lane, view, grant);
  for (const [key, { kind, namespace, name, isTerminating }] of view) {
    const isStray =
      lane.owns(key) && kind.namespaced && !POOL.includes(name) && !STAYS.has(name) && !name.startsWith('cnry');
    if (!isTerminating && !isStray) continue;
    if (RBAC_KINDS.includes(kind) || !lane.owns(key)) continue;
    const path = `${collectionPath(kind, namespace)}/${name}`;
    await target.admin('DELETE', path, { gracePeriodSeconds: 0 });
    // No controller removes finalizers here.
    if (kind.custom) await target.admin('PATCH', path, { metadata: { finalizers: null } });
    view.delete(key);
  }
  for (const planted of lane.planted) {
    if (!view.has(keyOfPlanted(planted))) await plant(target, planted, requestPem);
  }
}

const STAYS = new Set(['default', ACCOUNT, 'kube-root-ca.crt']);

async function plant(
  target: FuzzTarget,
  { kind, namespace, name, canary }: Planted,
  requestPem: string,
): Promise<void> {
  const metadata = { name, labels: { canary }, annotations: { 'example.com/canary': canary } };
  const content =
    kind === CERTIFICATE_REQUESTS
      ? {
          spec: {
            request: Buffer.from(requestPem).toString('base64'),
            signerName: 'example.com/fuzz',
            usages: ['client auth'],
          },
        }
      : kind.content(namespace, canary);
  await create(target, collectionPath(kind, namespace), {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata,
    ...content,
  });
}

async function restoreGrant(target: FuzzTarget, lane: Lane, view: StoreView, grant: Grant): Promise<void> {
  const kind = RBAC_KINDS.find((each) => each.kind === grant.kind);
  if (kind === undefined) throw new Error(`${grant.kind} is no kind of RBAC`);
  const { namespace, name } = grant;
  const key = objectKey(kind, namespace, name);
  const metadata = { name, labels: { grant: 'first' } };
  const stored = view.get(key);
  const labels = stored?.labels;
  // Writers of these objects leave a label.
  if (labels !== undefined && JSON.stringify(labels) === JSON.stringify(metadata.labels)) return;
  if (stored !== undefined) await target.admin('DELETE', `${collectionPath(kind, namespace)}/${name}`);
  const content =
    'rules' in grant
      ? { rules: grant.rules }
      : {
          roleRef: { apiGroup: RBAC_GROUP, ...grant.binding.roleRef },
          subjects: grant.binding.subjects.map((subject) =>
            subject.kind === 'ServiceAccount' ? subject : { apiGroup: RBAC_GROUP, ...subject },
          ),
        };
  await create(target, collectionPath(kind, namespace), {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata,
    ...content,
  });
}

/** Updates the model of a lane from the store. */
export function synchronize(lane: Lane, view: StoreView): void {
  lane.stored.clear();
  lane.uncertain.clear();
  lane.touched.clear();
  const { roles, roleBindings, clusterRoles, clusterRoleBindings } = lane.rbac;
  for (const held of [roles, roleBindings, clusterRoleBindings]) held.clear();
  for (const name of clusterRoles.keys()) if (name.startsWith(`${lane.names.prefix}:`)) clusterRoles.delete(name);
  for (const [key, { kind, namespace, name, object, isTerminating }] of view) {
    if (!lane.owns(key) && !BUILT_IN.has(key)) continue;
    lane.stored.add(key);
    if (isTerminating) lane.uncertain.add(key);
    if (object !== undefined && lane.owns(key)) learn(lane, kind, namespace, name, object);
  }
}

/** Objects that every cluster has and that requests refer to. */
const BUILT_IN = new Set([
  'namespaces.||kube-system',
  ...['cluster-admin', 'view', 'edit'].map((name) => `clusterroles.${RBAC_GROUP}||${name}`),
]);

async function create(target: FuzzTarget, path: string, object: object): Promise<void> {
  const { status, body } = await target.admin('POST', path, object);
  if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status} ${body.slice(0, 500)}`);
}
