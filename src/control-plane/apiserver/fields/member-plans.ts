import { ownValue } from '#platform/base/own-value';
import type { SkippedFields } from './changed-fields.ts';
import type { PathElement } from './path-element.ts';
import type { MapType, Type } from './type.ts';

/** Defines how to visit an object with these member names: each in the order of the path elements. */
export interface MemberPlan {
  /** Names in the order of the object. */
  readonly given: readonly string[];
  readonly skip: SkippedFields | undefined;
  readonly members: readonly PlannedMember[];
  readonly elements: readonly PathElement[];
}

interface PlannedMember {
  readonly name: string;
  readonly element: PathElement;
  readonly type: Type;
  /** Members below it that are skipped. */
  readonly skip: SkippedFields | undefined;
}

const SIZE = 6;
/** Maximum number of names in a cached plan. Larger ones hardly ever recur, and would use much memory. */
const MAX_SIZE = 1_000;

/** Caches the plans of one type for the last few sets of names, which objects created from one template share. */
export class MemberPlans {
  readonly #known: MemberPlan[] = [];
  #next = 0;

  /** `other` is the type of members that are neither declared nor expected. */
  of(given: readonly string[], skip: SkippedFields | undefined, map: MapType, other: Type): MemberPlan {
    for (const known of this.#known) if (known.skip === skip && isSame(known.given, given)) return known;
    const plan = planOf(given, skip, map, other);
    if (given.length > MAX_SIZE) return plan;
    this.#known[this.#next] = plan;
    this.#next = (this.#next + 1) % SIZE;
    return plan;
  }
}

function planOf(given: readonly string[], skip: SkippedFields | undefined, map: MapType, other: Type): MemberPlan {
  const members: PlannedMember[] = [];
  for (const name of given) {
    const skipped = skip === undefined ? undefined : ownValue(skip, name);
    if (skipped === true) continue;
    const field = map.field(name);
    const type = field?.type ?? map.entries ?? other;
    members.push({ name, element: field?.element ?? `f:${name}`, type, skip: skipped });
  }
  members.sort((a, b) => (a.element < b.element ? -1 : 1));
  return { given, skip, members, elements: members.map(({ element }) => element) };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
