import { goQuote } from '../../base/go-value.ts';
import type { Binding, Subject } from './rbac-objects.ts';
import { serviceAccountUserName, type User } from './user.ts';

/** Under which key bindings to this user or group are found. */
export const userKey = (name: string): string => `u:${name}`;
export const groupKey = (name: string): string => `g:${name}`;

/** The key of a subject; a ServiceAccount is the user it signs in as. Undefined where the subject means nobody. */
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

/** One kind of binding (RoleBinding or ClusterRoleBinding), found by whom it binds. */
export class BindingIndex {
  readonly #byName = new Map<string, Binding>();
  readonly #bySubject = new Map<string, Set<Binding>>();

  upsert(binding: Binding): void {
    this.remove(binding.metadata.namespace, binding.metadata.name);
    this.#byName.set(objectKey(binding.metadata.namespace, binding.metadata.name), binding);
    for (const key of keysOf(binding)) {
      const found = this.#bySubject.get(key);
      if (found) found.add(binding);
      else this.#bySubject.set(key, new Set([binding]));
    }
  }

  remove(namespace: string | undefined, name: string): void {
    const old = this.#byName.get(objectKey(namespace, name));
    if (!old) return;
    this.#byName.delete(objectKey(namespace, name));
    for (const key of keysOf(old)) {
      const found = this.#bySubject.get(key);
      found?.delete(old);
      if (found?.size === 0) this.#bySubject.delete(key);
    }
  }

  /** The bindings of the namespace ('' for the cluster) to the user or their groups, by name. */
  of(user: User, namespace: string): Binding[] {
    const found = new Set<Binding>();
    for (const key of [userKey(user.name), ...user.groups.map(groupKey)]) {
      for (const binding of this.#bySubject.get(key) ?? []) {
        if ((binding.metadata.namespace ?? '') === namespace) found.add(binding);
      }
    }
    return [...found].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }
}

/** The first subject of the binding that means the user. */
export function subjectOf(binding: Binding, user: User): Subject | undefined {
  const keys = new Set([userKey(user.name), ...user.groups.map(groupKey)]);
  return binding.subjects?.find((subject) => {
    const key = subjectKey(subject, binding.metadata.namespace ?? '');
    return key !== undefined && keys.has(key);
  });
}

/** Names a binding in the words of an authorisation's reason. */
export function describeBinding(binding: Binding, subject: Subject): string {
  const { name, namespace } = binding.metadata;
  const what = namespace ? `RoleBinding ${goQuote(`${name}/${namespace}`)}` : `ClusterRoleBinding ${goQuote(name)}`;
  const whose =
    subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || (namespace ?? '')}` : subject.name;
  return `${what} of ${binding.roleRef.kind} ${goQuote(binding.roleRef.name)} to ${subject.kind} ${goQuote(whose)}`;
}

/** The key of an object in its kind. */
export function objectKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

function keysOf(binding: Binding): Set<string> {
  const keys = (binding.subjects ?? []).map((subject) => subjectKey(subject, binding.metadata.namespace ?? ''));
  return new Set(keys.filter((key) => key !== undefined));
}
