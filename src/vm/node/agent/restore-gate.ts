import type { Node } from '#platform/kube/kinds/node';
import { listingOf, restoreOf } from '#platform/kube/node-restore';

/**
 * Blocks node agents after a restore, since machines may have been started, migrated or stopped since the backup. No
 * machine is started, ended or deleted until every node has listed its own, and none is started while another node
 * lists one of its name.
 */
export class RestoreGate {
  /** Nodes that have not listed their machines. */
  readonly #waiting = new Set<string>();
  readonly #listed = new Map<string, ReadonlySet<string>>();

  /** Observes a node. Reports whether a machine may start now that could not before. */
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

  /** Nodes that are still pending. */
  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** Reports whether another node lists a machine of this name. */
  isElsewhere(machine: string, node: string): boolean {
    for (const [name, machines] of this.#listed) if (name !== node && machines.has(machine)) return true;
    return false;
  }
}
