import { isObject } from '#platform/kube/patches/json-object';
import { MAX_DEPTH } from '#platform/kube/patches/patch-error';
import type { Json } from '#platform/schema/json-schema';
import { canonicalElement, compareElements, type PathElement, printElement, SELF } from './path-element.ts';

/**
 * Represents a set of field paths as a trie that is at the same time the JSON of managedFields' fieldsV1. Below the
 * root an empty node is a member, and so is one that contains `.`; any other node only leads to members. Members are in
 * the order of compareElements. Sets are immutable: operations return new ones and share what they can.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

interface Builder {
  [element: PathElement]: FieldSet;
}

/** Empty set; as a child, a member without members below. */
export const EMPTY: FieldSet = Object.freeze({});

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Reports whether a node below the root is itself a member. */
export function isMember(node: FieldSet): boolean {
  // Getting the first element of a large node means enumerating all of them.
  if (node === EMPTY || SELF in node) return true;
  return isEmpty(node);
}

export function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== SELF) return true;
  return false;
}

/**
 * Returns a node from its parts, whose elements are sorted; undefined if it would neither be a member nor lead to one.
 */
export function node(
  member: boolean,
  elements: readonly PathElement[],
  children: readonly FieldSet[],
): FieldSet | undefined {
  if (elements.length === 0) return member ? EMPTY : undefined;
  const result: Builder = {};
  if (member) result[SELF] = EMPTY;
  for (let i = 0; i < elements.length; i++) result[elements[i] as PathElement] = children[i] as FieldSet;
  return result;
}

/** Returns the set of one path. */
export function fieldPath(...elements: readonly PathElement[]): FieldSet {
  return elements.reduceRight<FieldSet>((child, element) => ({ [element]: child }), EMPTY);
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.[element];
  return at !== undefined && isMember(at);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : uniteChildren(a, b, false);
}

/** Returns the union of many sets at once. Adding one after the other would traverse the accumulated set each time. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  return uniteAll(
    sets.filter((set) => !isEmpty(set)),
    false,
  );
}

function uniteAll(nodes: readonly FieldSet[], member: boolean): FieldSet {
  const [first = EMPTY, second] = nodes;
  if (second === undefined) return first;
  const below = new Map<PathElement, FieldSet[]>();
  for (const node of nodes) {
    for (const element in node) {
      const known = below.get(element);
      if (known !== undefined) known.push(node[element] as FieldSet);
      else if (element !== SELF) below.set(element, [node[element] as FieldSet]);
    }
  }
  const elements = [...below.keys()].sort(compareElements);
  const children = elements.map((element) => {
    const same = below.get(element) as FieldSet[];
    return uniteAll(same, same.some(isMember));
  });
  return node(member, elements, children) ?? EMPTY;
}

/** Returns the union of two nodes below the root. */
export function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? a : uniteChildren(a, b, isMember(a) || isMember(b));
}

function uniteChildren(a: FieldSet, b: FieldSet, member: boolean): FieldSet {
  const elements: PathElement[] = [];
  for (const element in a) if (element !== SELF) elements.push(element);
  const own = elements.length;
  for (const element in b) if (element !== SELF && !(element in a)) elements.push(element);
  if (own > 0 && elements.length > own) elements.sort(compareElements);
  const children = elements.map((element) => {
    const left = a[element];
    const right = b[element];
    if (left === undefined) return right as FieldSet;
    return right === undefined ? left : unionNodes(left, right);
  });
  return node(member, elements, children) ?? EMPTY;
}

/** Returns the members of `a` that are not members of `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return a === EMPTY || isEmpty(b) ? a : (subtract(a, b, false, false, false) ?? EMPTY);
}

/** Returns the members of `a` that are neither members of `b` nor below one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(b) ? a : (subtract(a, b, false, false, true) ?? EMPTY);
}

function subtract(
  a: FieldSet,
  b: FieldSet,
  aMember: boolean,
  bMember: boolean,
  recursive: boolean,
): FieldSet | undefined {
  const member = aMember && !bMember;
  let changed = aMember && bMember;
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const element in a) {
    if (element === SELF) continue;
    const child = a[element] as FieldSet;
    const other = b[element];
    let rest: FieldSet | undefined = child;
    if (other !== undefined) {
      const gone = isMember(other);
      rest = recursive && gone ? undefined : subtract(child, other, isMember(child), gone, recursive);
    }
    if (rest !== child) changed = true;
    if (rest === undefined) continue;
    elements.push(element);
    children.push(rest);
  }
  return changed ? node(member, elements, children) : a;
}

/** Returns the members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? a : (intersect(a, b, false) ?? EMPTY);
}

function intersect(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const element in a) {
    const child = a[element] as FieldSet;
    const other = b[element];
    if (element === SELF || other === undefined) continue;
    const both = intersect(child, other, isMember(child) && isMember(other));
    if (both === undefined) continue;
    elements.push(element);
    children.push(both);
  }
  return node(member, elements, children);
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  return a === b || sameNode(a, b, true);
}

function sameNode(a: FieldSet, b: FieldSet, root: boolean): boolean {
  if (a === b) return true;
  if (!root && isMember(a) !== isMember(b)) return false;
  for (const element in b) if (element !== SELF && !(element in a)) return false;
  for (const element in a) {
    if (element === SELF) continue;
    const other = b[element];
    if (other === undefined || !sameNode(a[element] as FieldSet, other, false)) return false;
  }
  return true;
}

/** Returns the paths of all members as messages print them, those of a level before those below it. */
export function printPaths(set: FieldSet, prefix = '', paths: string[] = []): string[] {
  for (const element in set) {
    if (element !== SELF && isMember(set[element] as FieldSet)) paths.push(prefix + printElement(element));
  }
  for (const element in set) {
    if (element !== SELF) printPaths(set[element] as FieldSet, prefix + printElement(element), paths);
  }
  return paths;
}

/** Parses fieldsV1 of unknown origin; throws if it is not a set. */
export function parseFieldSet(fields: Json | undefined, depth = 0): FieldSet {
  if (fields === null || fields === undefined) return EMPTY;
  if (!isObject(fields)) throw new SyntaxError('a field set is an object');
  if (depth > MAX_DEPTH) throw new SyntaxError('a field set is nested too deep');
  if (isEmpty(fields as FieldSet)) return EMPTY;
  const known = new Map<PathElement, FieldSet>();
  for (const text of Object.keys(fields)) {
    const element = canonicalElement(text);
    if (element !== undefined) known.set(element, parseFieldSet(fields[text], depth + 1));
  }
  if (depth > 0 && known.size === 1 && known.has(SELF)) return EMPTY;
  const member = depth > 0 && known.delete(SELF);
  const elements = [...known.keys()].sort(compareElements);
  return (
    node(
      member,
      elements,
      elements.map((element) => known.get(element) as FieldSet),
    ) ?? EMPTY
  );
}
