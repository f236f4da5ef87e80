import type { Steps } from '#platform/base/steps';
import { isList, sameJson } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { EMPTY, type FieldSet, isEmpty, parseFieldSet, unionOf } from './field-set.ts';
import { isChunk } from './large-nodes.ts';
import { compareText } from './path-element.ts';

/** Represents one entry of metadata.managedFields. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1?: FieldSet;
  readonly subresource?: string;
}

/** Identifies an owner: one manager may have several entries, for each operation, version and subresource. */
export interface ManagerName {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface Manager extends ManagerName {
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** Entry that this was read from, as long as it is unchanged. */
  readonly entry?: ManagedFieldsEntry;
}

const MAX_UPDATE_MANAGERS = 10;
const OLD_UPDATES = 'ancient-changes';

/** Number of managers up to which a linear search is faster than an index. */
const FEW = 16;

/** Holds all managers of one object. There are nearly always few, but a client may send as many as a body holds. */
export class Managers {
  /** Never modified while it may be iterated, except for replacing a manager by its new state. */
  #all: Manager[] = [];
  /** All managers by identity once there are many; entries may be deleted during iteration. */
  #many: Map<string, Manager> | undefined;

  get size(): number {
    return this.#many?.size ?? this.#all.length;
  }

  [Symbol.iterator](): IterableIterator<Manager> {
    return this.#many?.values() ?? this.#all.values();
  }

  /** Returns all managers in the order of their identities. */
  sorted(): readonly Manager[] {
    return this.#named()
      .sort((a, b) => compareText(a.id, b.id))
      .map(({ manager }) => manager);
  }

  get(name: ManagerName): Manager | undefined {
    return this.#many === undefined ? this.#all[this.#indexOf(name)] : this.#many.get(identity(name));
  }

  set(manager: Manager): void {
    if (this.#many !== undefined) {
      this.#many.set(identity(manager), manager);
      return;
    }
    const at = this.#indexOf(manager);
    if (at >= 0) this.#all[at] = manager;
    else if (this.#all.push(manager) > FEW) this.#many = new Map(this.#all.map((each) => [identity(each), each]));
  }

  delete(name: ManagerName): void {
    if (this.#many !== undefined) {
      this.#many.delete(identity(name));
      return;
    }
    const at = this.#indexOf(name);
    if (at >= 0) this.#all = this.#all.toSpliced(at, 1);
  }

  /** Sets the fields of a manager; without any it is removed. */
  setFields(manager: Manager, fields: FieldSet): void {
    if (fields === manager.fields) return;
    if (isEmpty(fields)) this.delete(manager);
    else this.set({ ...withoutEntry(manager), fields });
  }

  /** Merges the oldest updaters of a version if there are more than ten. */
  cap(): void {
    if (this.size <= MAX_UPDATE_MANAGERS) return;
    const named = this.#named().filter(({ manager }) => manager.operation === 'Update');
    let count = named.length;
    if (count <= MAX_UPDATE_MANAGERS) return;
    named.sort((a, b) => compareText(seconds(a.manager.time), seconds(b.manager.time)) || compareText(a.id, b.id));
    const first = new Map<string, Manager>();
    const buckets = new Map<string, { readonly name: ManagerName; time: string | undefined; fields: FieldSet[] }>();
    for (const { manager: updater, id } of named) {
      if (count <= MAX_UPDATE_MANAGERS) break;
      const { apiVersion } = updater;
      const other = first.get(apiVersion);
      if (other === undefined) {
        first.set(apiVersion, updater);
        continue;
      }
      let bucket = buckets.get(apiVersion);
      if (bucket === undefined) {
        const name = { manager: OLD_UPDATES, operation: 'Update', apiVersion, subresource: '' } as const;
        const { time, fields } = this.get(name) ?? other;
        if (this.get(name) === undefined) this.delete(other);
        bucket = { name, time, fields: [fields] };
        buckets.set(apiVersion, bucket);
      }
      if (this.#many?.delete(id) === undefined) this.delete(updater);
      bucket.time = updater.time ?? bucket.time;
      bucket.fields.push(updater.fields);
      count--;
    }
    for (const { name, time, fields } of buckets.values()) this.set({ ...name, time, fields: unionOf(fields) });
  }

  /** Returns the entries in the server's order. */
  toEntries(): ManagedFieldsEntry[] {
    const entries = [...this].sort(compareManagers);
    return entries.map((manager) => manager.entry ?? toEntry(manager));
  }

  /** Returns all managers with their identities, which are cached once there are many. */
  #named(): { readonly manager: Manager; readonly id: string }[] {
    if (this.#many === undefined) return this.#all.map((manager) => ({ manager, id: identity(manager) }));
    return Array.from(this.#many, ([id, manager]) => ({ manager, id }));
  }

  #indexOf(name: ManagerName): number {
    const all = this.#all;
    for (let at = 0; at < all.length; at++) if (isSame(all[at] as Manager, name)) return at;
    return -1;
  }
}

/** Reports whether two names identify the same manager; an applier is the same in any version. */
function isSame(a: ManagerName, b: ManagerName): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** Returns the identity of a manager as text, by which the server sorts managers. */
function identity({ manager, operation, apiVersion, subresource }: ManagerName): string {
  const name = `{"manager":${quoteText(manager)},"operation":"${operation}"`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${quoteText(apiVersion)}`;
  return `${name}${version}${subresource === '' ? '' : `,"subresource":${quoteText(subresource)}`}}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Quotes like JSON.stringify, but faster for text without escapes, which names hardly ever have. */
function quoteText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function withoutEntry({ manager, operation, apiVersion, subresource, time, fields }: Manager): Manager {
  return { manager, operation, apiVersion, subresource, time, fields };
}

function toEntry({ manager, operation, apiVersion, subresource, time, fields }: Manager): ManagedFieldsEntry {
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === '' ? {} : { subresource }),
  };
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(seconds(a.time), seconds(b.time)) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** Returns the time in UTC by seconds, so that the text can be sorted. */
function seconds(time: string | undefined): string {
  return time ?? '';
}

/** Reads entries that we wrote ourselves: their field sets are sorted. */
export function readManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  const managers = new Managers();
  for (const entry of entries ?? []) managers.set(toManager(entry, entry.fieldsV1 ?? EMPTY, entry));
  return managers;
}

function toManager(entry: ManagedFieldsEntry, fields: FieldSet, source?: ManagedFieldsEntry): Manager {
  const { manager = '', operation, apiVersion, time, subresource = '' } = entry;
  return {
    manager,
    operation,
    apiVersion,
    subresource,
    time,
    fields,
    ...(source === undefined ? {} : { entry: source }),
  };
}

/**
 * Returns the managers that a write starts from. A client may send its own entries; `[]` and `[{}]` clear all, and
 * missing or invalid ones retain those of the live object.
 */
export function* managersOfWrite(
  live: readonly ManagedFieldsEntry[] | undefined,
  sent: Json | undefined,
): Steps<Managers> {
  if (!isList(sent) || sameJson(sent, live as Json | undefined)) return readManagers(live);
  if (sent.length === 0 || (sent.length === 1 && sameJson(sent[0], {}))) return new Managers();
  return (yield* parseManagers(sent)) ?? readManagers(live);
}

function* parseManagers(sent: readonly Json[]): Steps<Managers | undefined> {
  const managers = new Managers();
  try {
    for (const [i, item] of sent.entries()) {
      if (isChunk(i)) yield;
      const entry = item as unknown as ManagedFieldsEntry;
      if (
        (entry.operation !== 'Apply' && entry.operation !== 'Update') ||
        !entry.apiVersion ||
        entry.fieldsType !== 'FieldsV1'
      ) {
        return undefined;
      }
      const manager = toManager(entry, parseFieldSet(entry.fieldsV1));
      managers.set(manager);
    }
  } catch {
    return undefined;
  }
  return managers;
}
