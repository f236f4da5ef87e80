import { goQuote } from '#platform/base/go-value';
import type { RoleBinding, Subject } from './rbac-objects.ts';
import { serviceAccountUserName, type User } from './user.ts';

/** Returns the index key of bindings to this user or group. */
export const userKey = (name: string): string => `u:${name}`;
export const groupKey = (name: string): string => `g:${name}`;

/** Returns the key of a subject; a ServiceAccount has that of its user. Undefined if the subject identifies nobody. */
function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return userKey(subject.name);
    case 'Group':
      return groupKey(subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === '' ? undefined : userKey(serviceAccountUserName(namespace, subject.name));
    }
    default:
      return undefined;
  }
}

/** Holds a binding, and the first of its subjects that matches a user. */
export interface FoundBinding {
  readonly binding: RoleBinding;
  readonly subject: Subject;
}

/** Indexes one kind of binding (RoleBinding or ClusterRoleBinding) by namespace and subject. */
export class BindingIndex {
  readonly #byName = new Map<string, RoleBinding>();
  /** Bindings by namespace and subject, each with the index of that subject among its subjects. */
  readonly #bySubject = new Map<string, Map<RoleBinding, number>>();

  upsert(binding: RoleBinding): void {
    this.remove(binding.metadata.namespace, binding.metadata.name);
    this.#byName.set(objectKey(binding.metadata.namespace, binding.metadata.name), binding);
    for (const [key, place] of keysOf(binding)) {
      const found = this.#bySubject.get(key);
      if (found) found.set(binding, place);
      else this.#bySubject.set(key, new Map([[binding, place]]));
    }
  }

  remove(namespace: string | undefined, name: string): void {
    const old = this.#byName.get(objectKey(namespace, name));
    if (!old) return;
    this.#byName.delete(objectKey(namespace, name));
    for (const key of keysOf(old).keys()) {
      const found = this.#bySubject.get(key);
      found?.delete(old);
      if (found?.size === 0) this.#bySubject.delete(key);
    }
  }

  /** Returns the bindings of the namespace ('' for the cluster) to the user or their groups, by name. */
  of(user: User, namespace: string): FoundBinding[] {
    const places = new Map<RoleBinding, number>();
    for (const key of [userKey(user.name), ...user.groups.map(groupKey)]) {
      for (const [binding, place] of this.#bySubject.get(objectKey(namespace, key)) ?? []) {
        places.set(binding, Math.min(place, places.get(binding) ?? place));
      }
    }
    const found: FoundBinding[] = [];
    for (const [binding, place] of places) {
      const subject = binding.subjects?.[place];
      if (subject !== undefined) found.push({ binding, subject });
    }
    return found.sort((a, b) => (a.binding.metadata.name < b.binding.metadata.name ? -1 : 1));
  }
}

/** Formats a binding as in the reason of an authorization decision. */
export function describeBinding(binding: RoleBinding, subject: Subject): string {
  const { name, namespace } = binding.metadata;
  const what = namespace ? `RoleBinding ${goQuote(`${name}/${namespace}`)}` : `ClusterRoleBinding ${goQuote(name)}`;
  const whose =
    subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || (namespace ?? '')}` : subject.name;
  return `${what} of ${binding.roleRef.kind} ${goQuote(binding.roleRef.name)} to ${subject.kind} ${goQuote(whose)}`;
}

/** Returns the key of an object in its kind. */
export function objectKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** Returns the index keys of a binding, each with the index of the first matching subject. */
function keysOf({ metadata: { namespace = '' }, subjects }: RoleBinding): Map<string, number> {
  const keys = new Map<string, number>();
  for (const [place, subject] of (subjects ?? []).entries()) {
    const key = subjectKey(subject, namespace);
    if (key === undefined) continue;
    const placed = objectKey(namespace, key);
    if (!keys.has(placed)) keys.set(placed, place);
  }
  return keys;
}
