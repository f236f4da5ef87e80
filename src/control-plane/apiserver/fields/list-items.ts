import { goQuote } from '#platform/base/go-value';
import type { Steps } from '#platform/base/steps';
import { isObject, member } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { EMPTY, type FieldSet } from './field-set.ts';
import { fillNode, type NodeDraft } from './large-nodes.ts';
import { compareText, compareValues, keyElement, type PathElement, valueElement } from './path-element.ts';
import type { ListType, MapType } from './type.ts';

/** Thrown if an item cannot be distinguished from the others of its list. */
export class ListItemError extends Error {}

/** Returns the path element of an item of a set or keyed list. */
export function itemElement(list: ListType, item: Json): PathElement {
  const { keys } = list;
  if (keys.length === 0) return setElement(item);
  if (item === null) throw new ListItemError('associative list with keys may not have a null element');
  if (!isObject(item)) throw new ListItemError('associative list with keys may not have non-map elements');
  const element = keyElement(keys, itemKeys(list, item));
  if (element !== 'k:{}') return element;
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${keys.map(goQuote).join(' ')}] (and doesn't have default values for any key fields)`,
  );
}

function setElement(item: Json): PathElement {
  if (item === null) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') {
    throw new ListItemError("associative list without keys has an element that's a map type");
  }
  return valueElement(item);
}

function itemKeys(list: ListType, item: Json): readonly (Json | undefined)[] {
  const { keys, keyDefaults } = list;
  const values: (Json | undefined)[] = [];
  for (let i = 0; i < keys.length; i++) {
    values.push((isObject(item) ? member(item, keys[i] as string) : undefined) ?? keyDefaults[i]);
  }
  return values;
}

/** Indexes items by their path element, in the order of the list; a duplicate item has more than one value. */
export function indexItems(list: ListType, items: readonly Json[]): Map<PathElement, Json[]> {
  const index = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = index.get(element);
    if (same === undefined) index.set(element, [item]);
    else same.push(item);
  }
  return index;
}

interface Entry {
  readonly element: PathElement;
  readonly keys: readonly (Json | undefined)[];
  readonly fields: FieldSet;
}

/**
 * Collects the field sets of items and sorts them, by the values of keys rather than their text. A duplicate item is
 * owned as a whole.
 */
export class ItemFields {
  readonly #list: ListType;
  readonly #entries: Entry[] = [];

  constructor(list: ListType) {
    this.#list = list;
  }

  add(element: PathElement, item: Json, fields: FieldSet): void {
    const keys = this.#list.keys.length === 0 ? [item] : itemKeys(this.#list, item);
    this.#entries.push({ element, keys, fields });
  }

  toNode(member: boolean): FieldSet | undefined {
    const { elements, fields } = this.#sorted();
    return this.#list.nodes.node(member, elements, fields);
  }

  /** Builds the same as a large node. */
  *fill(draft: NodeDraft, member: boolean): Steps<void> {
    const { elements, fields } = this.#sorted();
    yield* fillNode(draft, member, elements, fields);
  }

  #sorted(): { readonly elements: readonly PathElement[]; readonly fields: readonly FieldSet[] } {
    const entries = this.#entries;
    if (entries.length > 1) entries.sort(compareEntries);
    const elements: PathElement[] = [];
    const fields: FieldSet[] = [];
    for (const entry of entries) {
      const last = elements.length - 1;
      if (elements[last] === entry.element) {
        fields[last] = EMPTY;
      } else {
        elements.push(entry.element);
        fields.push(entry.fields);
      }
    }
    return { elements, fields };
  }
}

function compareEntries(a: Entry, b: Entry): number {
  for (let i = 0; i < a.keys.length; i++) {
    const order = compareValues(a.keys[i], b.keys[i]);
    if (order !== 0) return order;
  }
  return 0;
}

const FEW = 32;

/** Collects the field sets of members of an object and sorts them. */
export class MemberFields {
  readonly #map: MapType;
  #elements: PathElement[] = [];
  #fields: FieldSet[] = [];
  #isSorted = true;

  constructor(map: MapType) {
    this.#map = map;
  }

  add(element: PathElement, fields: FieldSet): void {
    const elements = this.#elements;
    const all = this.#fields;
    let at = elements.push(element) - 1;
    all.push(fields);
    if (at > FEW) {
      if ((elements[at - 1] as PathElement) > element) this.#isSorted = false;
      return;
    }
    // Inserting a few members in order is faster than sorting them afterwards.
    for (; at > 0 && (elements[at - 1] as PathElement) > element; at--) {
      elements[at] = elements[at - 1] as PathElement;
      all[at] = all[at - 1] as FieldSet;
    }
    elements[at] = element;
    all[at] = fields;
  }

  toNode(member: boolean): FieldSet | undefined {
    if (!this.#isSorted) this.#sort();
    return this.#map.nodes.node(member, this.#elements, this.#fields);
  }

  /** Builds the same as a large node. */
  *fill(draft: NodeDraft, member: boolean): Steps<void> {
    if (!this.#isSorted) this.#sort();
    yield* fillNode(draft, member, this.#elements, this.#fields);
  }

  #sort(): void {
    const members = this.#elements.map((element, i) => ({ element, fields: this.#fields[i] as FieldSet }));
    members.sort((a, b) => compareText(a.element, b.element));
    this.#elements = members.map(({ element }) => element);
    this.#fields = members.map(({ fields }) => fields);
    this.#isSorted = true;
  }
}
