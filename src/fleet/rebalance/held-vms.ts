import type { ObservedNode, ObservedVm } from './observed-fleet.ts';

/** Nodes and VMs that a plan has to leave out, by reason. */
export interface Hindrances {
  /** Nodes without contact to their control plane. They are neither compared nor destinations. */
  readonly notReady: readonly string[];
  /** Nodes that accept no VMs. They are compared, and VMs may leave them. */
  readonly cordoned: readonly string[];
  /** Number of VMs that may not move, by reason. */
  readonly cooldown: number;
  readonly budget: number;
  readonly retained: number;
}

/** Returns the VMs that may not move now: those that did not move before, have just moved, or have a full budget. */
export function heldVms(
  nodes: readonly ObservedNode[],
  retained: ReadonlySet<string>,
  cooldownMs: number,
): { readonly held: ReadonlySet<string>; readonly hindrances: Hindrances } {
  const held = new Set<string>();
  const counts = { cooldown: 0, budget: 0, retained: 0 };
  for (const { vms } of nodes) {
    for (const vm of vms) {
      const reason = retained.has(vm.id) ? 'retained' : holdReasonOf(vm, cooldownMs);
      if (reason === undefined) continue;
      held.add(vm.id);
      counts[reason]++;
    }
  }
  const names = (select: (node: ObservedNode) => boolean) => nodes.filter(select).map(({ name }) => name);
  const notReady = names(({ isReady = true }) => !isReady);
  const cordoned = names(({ isReady = true, isCordoned = false }) => isReady && isCordoned);
  return { held, hindrances: { notReady, cordoned, ...counts } };
}

function holdReasonOf({ secondsSinceMove, budgets = [] }: ObservedVm, cooldownMs: number) {
  if (secondsSinceMove !== undefined && secondsSinceMove * 1000 < cooldownMs) return 'cooldown';
  return budgets.some(({ allowed }) => allowed < 1) ? 'budget' : undefined;
}
