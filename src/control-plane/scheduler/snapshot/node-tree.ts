import type { Node } from '#platform/kube/kinds/node';

/** Nodes in the order in which they are checked. */
export interface NodeOrder {
  readonly slots: Int32Array;
  readonly names: readonly string[];
}

/**
 * Nodes by zone, in the order in which they were added. The order alternates between zones, so that no zone is favored.
 */
export class NodeTree {
  readonly #zones = new Map<string, Map<string, number>>();
  readonly #zoneOf = new Map<string, string>();
  #order: NodeOrder | undefined;

  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds a node, or moves it if its zone changed. */
  set(node: Node, slot: number): void {
    const { name = '' } = node.metadata;
    const zone = zoneOf(node);
    const before = this.#zoneOf.get(name);
    if (before === zone) return;
    if (before !== undefined) this.remove(name);
    this.#zoneOf.set(name, zone);
    const nodes = this.#zones.get(zone);
    if (nodes === undefined) this.#zones.set(zone, new Map([[name, slot]]));
    else nodes.set(name, slot);
    this.#order = undefined;
  }

  remove(name: string): void {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return;
    this.#zoneOf.delete(name);
    const nodes = this.#zones.get(zone);
    nodes?.delete(name);
    if (nodes?.size === 0) this.#zones.delete(zone);
    this.#order = undefined;
  }

  /** Order of the nodes, which is rebuilt only after they have changed. */
  get order(): NodeOrder {
    this.#order ??= this.#inTurns();
    return this.#order;
  }

  #inTurns(): NodeOrder {
    const slots = new Int32Array(this.size);
    const names: string[] = [];
    let lists = [...this.#zones.values()].map((nodes) => [...nodes]);
    for (let turn = 0; lists.length > 0; turn++) {
      lists = lists.filter((nodes) => turn < nodes.length);
      for (const nodes of lists) {
        const [name, slot] = nodes[turn] as [string, number];
        slots[names.length] = slot;
        names.push(name);
      }
    }
    return { slots, names };
  }
}

function zoneOf({ metadata: { labels = {} } }: Node): string {
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  return zone === '' && region === '' ? '' : `${region}:\u0000:${zone}`;
}
