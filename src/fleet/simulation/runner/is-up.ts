import { conditionOf } from '#platform/kube/kinds/condition';
import type { Node } from '#platform/kube/kinds/node';

/** Reports whether a node is there, ready, and accepts VMs. */
export function isUp(node: Node | undefined): boolean {
  return conditionOf(node?.status?.conditions, 'Ready')?.status === 'True' && node?.spec?.unschedulable !== true;
}
