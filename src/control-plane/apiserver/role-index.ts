import { Rbac } from './access/rbac.ts';
import type { RbacKind } from './access/rbac-objects.ts';
import type { ParsedObjects } from './parsed-objects.ts';
import type { Registry } from './registry.ts';
import type { Entry, Store } from './store/store.ts';

const KINDS: readonly (readonly [RbacKind, string])[] = [
  ['ClusterRole', 'clusterroles'],
  ['ClusterRoleBinding', 'clusterrolebindings'],
  ['Role', 'roles'],
  ['RoleBinding', 'rolebindings'],
];

/** Keeps an authorizer in sync with the stored roles and bindings until the signal aborts. */
export function indexRoles(store: Store, registry: Registry, parsed: ParsedObjects, signal: AbortSignal): Rbac {
  const rbac = new Rbac();
  for (const [kind, plural] of KINDS) {
    const prefix = registry.find('rbac.authorization.k8s.io', 'v1', plural)?.storage.prefix ?? '';
    const { entries, revision } = store.range({ prefix });
    for (const entry of entries) rbac.upsert(kind, roleOf(parsed, entry));
    void follow(store, prefix, revision, signal, (entry, previous) => {
      if (entry !== undefined) rbac.upsert(kind, roleOf(parsed, entry));
      else if (previous !== undefined) {
        const { namespace, name = '' } = parsed.get(previous).metadata;
        rbac.remove(kind, namespace, name);
      }
    });
  }
  return rbac;
}

type RoleOrBinding = Parameters<Rbac['upsert']>[1];

function roleOf(parsed: ParsedObjects, entry: Entry): RoleOrBinding {
  return parsed.get(entry) as unknown as RoleOrBinding;
}

async function follow(
  store: Store,
  prefix: string,
  after: number,
  signal: AbortSignal,
  take: (entry: Entry | undefined, previous: Entry | undefined) => void,
): Promise<void> {
  for await (const batch of store.watch({ prefix, after, signal })) {
    for (const event of batch) if (event.type !== 'progress') take(event.entry, event.previous);
  }
}
