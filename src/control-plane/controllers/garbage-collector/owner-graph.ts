import { jsonEqual } from '#platform/base/json-equal';
import type { ResourceType } from '#platform/kube/client';
import { FOREGROUND, ORPHAN } from '#platform/kube/deletion-finalizers';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import type { KubeObject, KubeOwnerReference } from '#platform/kube/kube-object';
import { keyOf } from '#platform/runtime/key';

/** Fields of an object that matter for ownership. */
export interface Member {
  readonly uid: string;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly KubeOwnerReference[];
  readonly deleting: boolean;
  /** True if the object is being deleted and waits until its dependents are gone. */
  readonly foreground: boolean;
  /** True if the object is being deleted and waits until its dependents are orphaned. */
  readonly orphaning: boolean;
}

const NO_OWNERS: readonly KubeOwnerReference[] = [];

export function memberOf(type: ResourceType, { metadata }: KubeObject): Member {
  const { uid = '', namespace = '', name = '', ownerReferences = NO_OWNERS, finalizers = [] } = metadata;
  const deleting = metadata.deletionTimestamp !== undefined;
  return {
    uid,
    type,
    namespace,
    name,
    owners: ownerReferences.length === 0 ? NO_OWNERS : ownerReferences,
    deleting,
    foreground: deleting && finalizers.includes(FOREGROUND),
    orphaning: deleting && finalizers.includes(ORPHAN),
  };
}

/** Reports whether a member still matches its object. */
export function shows(member: Member, type: ResourceType, { metadata }: KubeObject): boolean {
  const { name, ownerReferences = NO_OWNERS, deletionTimestamp, finalizers = [] } = metadata;
  if (member.type !== type || member.name !== name || !sameOwners(member.owners, ownerReferences)) return false;
  if (deletionTimestamp === undefined) return !member.deleting;
  return (
    member.deleting &&
    member.foreground === finalizers.includes(FOREGROUND) &&
    member.orphaning === finalizers.includes(ORPHAN)
  );
}

export function sameOwners(a: readonly KubeOwnerReference[], b: readonly KubeOwnerReference[]): boolean {
  return a === b || (a.length === b.length && a.every((ref, i) => jsonEqual(ref as never, b[i] as never)));
}

/**
 * Reports whether a reference names exactly this object. The uid alone does not count, because anybody can write it.
 */
export function refersTo(ref: KubeOwnerReference, { uid, type, name }: Member): boolean {
  return ref.uid === uid && ref.name === name && ref.kind === type.kind && ref.apiVersion === apiVersionOf(type);
}

/** Graph of all objects and their owner references, by uid. */
export class OwnerGraph {
  readonly #members = new Map<string, Member>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #byResource = new Map<string, Map<string, string>>();

  get(uid: string): Member | undefined {
    return this.#members.get(uid);
  }

  *dependentsOf(uid: string): Generator<Member> {
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const member = this.#members.get(dependent);
      if (member !== undefined) yield member;
    }
  }

  /** Adds or updates an object. */
  put(type: ResourceType, object: KubeObject): Member {
    const member = memberOf(type, object);
    const before = this.#members.get(member.uid);
    if (before !== undefined) this.#unlink(before);
    this.#members.set(member.uid, member);
    for (const { uid } of member.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents === undefined) this.#dependents.set(uid, new Set([member.uid]));
      else dependents.add(member.uid);
    }
    this.#keysOf(type).set(keyOf(object), member.uid);
    return member;
  }

  remove(uid: string): Member | undefined {
    const member = this.#members.get(uid);
    if (member === undefined) return undefined;
    this.#unlink(member);
    this.#members.delete(uid);
    const keys = this.#keysOf(member.type);
    const key = keyOf({ metadata: member });
    if (keys.get(key) === uid) keys.delete(key);
    return member;
  }

  /** Returns the known uid of the object with this key. */
  uidOf(type: ResourceType, key: string): string | undefined {
    return this.#keysOf(type).get(key);
  }

  /** Returns the uids of all known objects of a resource. */
  uidsOf(type: ResourceType): string[] {
    return [...this.#keysOf(type).values()];
  }

  #unlink({ uid, owners }: Member): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents?.delete(uid) === true && dependents.size === 0) this.#dependents.delete(owner.uid);
    }
  }

  #keysOf({ group, plural }: ResourceType): Map<string, string> {
    const name = `${group}/${plural}`;
    let keys = this.#byResource.get(name);
    if (keys === undefined) {
      keys = new Map();
      this.#byResource.set(name, keys);
    }
    return keys;
  }
}
