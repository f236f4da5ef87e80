import { ALL_KINDS, collectionPath, type FuzzKind, objectKey, RBAC_KINDS } from './fuzz-kinds.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { FORMS } from './wire-forms.ts';

export interface ViewedObject {
  readonly kind: FuzzKind;
  readonly namespace: string;
  readonly name: string;
  /** Differs whenever the object was changed or replaced. */
  readonly state: string;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Set for roles and bindings, which the model reads. */
  readonly object?: object;
}

/** Returns all stored objects by key, as an administrator sees them. */
export type StoreView = Map<string, ViewedObject>;

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export async function viewStore(target: FuzzTarget): Promise<StoreView> {
  const view: StoreView = new Map();
  for (const kind of ALL_KINDS) {
    const isWhole = RBAC_KINDS.includes(kind);
    const { status, body } = await target.admin(
      'GET',
      collectionPath(kind, ''),
      undefined,
      isWhole ? FORMS.json[1] : FORMS.partialList[1],
    );
    if (status !== 200) throw new Error(`${collectionPath(kind, '')}: ${status} ${body}`);
    for (const item of (JSON.parse(body) as { items?: Listed[] }).items ?? []) {
      const { name, namespace = '', uid = '', resourceVersion = '', deletionTimestamp, labels } = item.metadata;
      const isTerminating = deletionTimestamp !== undefined;
      const viewed = { kind, namespace, name, state: `${uid} ${resourceVersion}`, isTerminating, labels };
      view.set(objectKey(kind, namespace, name), isWhole ? { ...viewed, object: item } : viewed);
    }
  }
  return view;
}

/** Objects that servers write themselves at any time. */
const OWN =
  /^(leases\.coordination\.k8s\.io|configmaps\.|endpoints\.|events\.)\|(kube-system|default|kube-public)\||^clusterroles\.[^|]*\|\|(view|edit|admin)$|\|marker$|^events\.\|[^|]*\|[^|]*\.[0-9a-f]{16}$/;

/** Returns what has changed without a permitted request. */
export function unexplainedChanges(before: StoreView, after: StoreView, touched: ReadonlySet<string>): string[] {
  const isExplained = (key: string): boolean => {
    const collection = key.slice(0, key.lastIndexOf('|'));
    return touched.has(key) || touched.has(`${collection}|*`) || OWN.test(key);
  };
  const changes: string[] = [];
  for (const [key, { state }] of before) {
    const now = after.get(key);
    if (now?.state !== state && !isExplained(key))
      changes.push(now === undefined ? `${key} is gone` : `${key} was changed`);
  }
  for (const key of after.keys()) if (!before.has(key) && !isExplained(key)) changes.push(`${key} was created`);
  return changes;
}
