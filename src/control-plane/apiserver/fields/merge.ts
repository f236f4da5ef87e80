import { isList, isObject, type JsonObject, type MutableObject, setMember } from '#platform/kube/patches/json-object';
import { assertDepth } from '#platform/kube/patches/patch-error';
import type { Json } from '#platform/schema/json-schema';
import { itemElement } from './list-items.ts';
import type { PathElement } from './path-element.ts';
import { DEDUCED, LIST, type ListType, MAP, type MapType, SCALAR, shapesOf, type Type } from './type.ts';

/** Merges a configuration into the live object; neither argument is modified. */
export function mergeTyped(live: JsonObject, config: JsonObject, type: Type): JsonObject {
  return (merge(live, config, type, 0) ?? {}) as JsonObject;
}

function merge(live: Json | undefined, config: Json | undefined, type: Type, depth: number): Json | undefined {
  if (config === undefined) return live;
  assertDepth(depth);
  // If live has another shape, the configuration's shape decides.
  const shapes = shapesOf(type, config ?? live);
  if ((shapes & MAP) !== 0) return mergeMaps(live, config, type.map as MapType, depth);
  if ((shapes & SCALAR) !== 0 || (shapes & LIST) === 0) return config;
  return mergeLists(live, config, type.list as ListType, depth);
}

function mergeMaps(live: Json | undefined, config: Json, map: MapType, depth: number): Json | undefined {
  const old = isObject(live) ? live : {};
  const now = isObject(config) ? config : {};
  const names = Object.keys(now);
  if (map.atomic || (names.length === 0 && Object.keys(old).length === 0)) return config;
  const result: MutableObject = { ...old };
  for (const name of names) {
    const type = map.field(name)?.type ?? map.entries ?? DEDUCED;
    const merged = merge(Object.hasOwn(old, name) ? old[name] : undefined, now[name], type, depth + 1);
    if (merged !== undefined) setMember(result, name, merged);
  }
  return result;
}

function mergeLists(live: Json | undefined, config: Json, list: ListType, depth: number): Json | undefined {
  const old = isList(live) ? live : [];
  const now = isList(config) ? config : [];
  if (list.atomic || (old.length === 0 && now.length === 0)) return config;
  return new ListMerge(list, old, now, depth).run();
}

/**
 * Merges a keyed list or a set: items of the configuration keep their order, and items that only live has stay where
 * they are between the shared ones.
 */
class ListMerge {
  readonly #list: ListType;
  readonly #live: readonly Json[];
  readonly #depth: number;
  readonly #liveElements: readonly PathElement[];
  readonly #configElements: readonly PathElement[];
  /** Items by element; a duplicate live item is not merged with the configuration's. */
  readonly #liveItems = new Map<PathElement, Json | null>();
  readonly #configItems = new Map<PathElement, Json>();
  readonly #out: Json[] = [];
  readonly #merged = new Set<PathElement>();

  constructor(list: ListType, live: readonly Json[], config: readonly Json[], depth: number) {
    this.#list = list;
    this.#live = live;
    this.#depth = depth;
    this.#liveElements = live.map((item) => itemElement(list, item));
    this.#configElements = config.map((item) => itemElement(list, item));
    for (const [i, element] of this.#liveElements.entries()) {
      this.#liveItems.set(element, this.#liveItems.has(element) ? null : (live[i] as Json));
    }
    for (const [i, element] of this.#configElements.entries()) this.#configItems.set(element, config[i] as Json);
  }

  run(): Json[] {
    const shared = this.#configElements.filter((element) => this.#liveItems.has(element));
    let taken = 0;
    let nextShared = shared[taken++];
    let i = 0;
    let k = 0;
    while (i < this.#liveElements.length || k < this.#configElements.length) {
      const live = this.#liveElements[i];
      const config = this.#configElements[k];
      if (live !== undefined && live === config) {
        this.#merge(live);
        i++;
        k++;
        nextShared = shared[taken++];
        continue;
      }
      if (live !== undefined && config !== undefined && this.#configItems.has(live)) {
        if (nextShared !== undefined && nextShared !== live) {
          i++;
          continue;
        }
      }
      if (live !== undefined) {
        if (!this.#configItems.has(live)) {
          this.#out.push(this.#live[i] as Json);
          i++;
          continue;
        }
        if (this.#merged.has(live)) i++;
      }
      if (config !== undefined) {
        this.#merge(config);
        k++;
        if (config === nextShared) nextShared = shared[taken++];
      }
    }
    return this.#out;
  }

  #merge(element: PathElement): void {
    this.#merged.add(element);
    const live = this.#liveItems.get(element) ?? undefined;
    const merged = merge(live, this.#configItems.get(element), this.#list.items, this.#depth + 1);
    if (merged !== undefined) this.#out.push(merged);
  }
}
