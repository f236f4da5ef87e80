import type { Node } from '#platform/kube/kinds/node';
import { listingOf, restoreOf } from '#platform/kube/node-restore';

/**
 * Keeps agents from acting on what a backup says before it is known what really runs. A machine may have been started,
 * moved or stopped since the backup was taken: until every node has listed its own, none is started, ended or removed;
 * and none is started while another node lists one of its name.
 */
export class RestoreGate {
  /** Nodes that have not listed their machines. */
  readonly #waiting = new Set<string>();
  readonly #listed = new Map<string, ReadonlySet<string>>();

  /** Takes in how a node is; whether a machine may begin now that could not before. */
  observe(node: Node, isGone: boolean): boolean {
    const { name = '' } = node.metadata;
    const wasOpen = this.isOpen;
    const before = this.#listed.get(name);
    const restore = isGone ? undefined : restoreOf(node);
    const listing = restore === undefined ? undefined : listingOf(node);
    if (restore === undefined || listing?.restore === restore) this.#waiting.delete(name);
    else this.#waiting.add(name);
    if (listing === undefined) this.#listed.delete(name);
    else this.#listed.set(name, new Set(listing.machines));
    const hasLeft = before !== undefined && before.size > 0 && listing === undefined;
    return this.isOpen && (!wasOpen || hasLeft);
  }

  get isOpen(): boolean {
    return this.#waiting.size === 0;
  }

  /** The nodes that are waited for. */
  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** Whether another node says that it runs a machine of this name. */
  isElsewhere(machine: string, node: string): boolean {
    for (const [name, machines] of this.#listed) if (name !== node && machines.has(machine)) return true;
    return false;
  }
}
