import type { Hindrances } from '#fleet/rebalance/held-vms';
import { formatCount } from './format-count.ts';

/** Formats what a plan had to leave out. '' if that is nothing. */
export function formatHindrances({ notReady, cordoned, cooldown, budget, retained }: Hindrances): string {
  const parts = [
    ...nodes(notReady, 'not ready'),
    ...nodes(cordoned, 'cordoned'),
    ...vms(cooldown, 'migrated less than the cooldown ago'),
    ...vms(budget, 'may not be disrupted now by their PodDisruptionBudget'),
    ...vms(retained, 'did not leave their node before'),
  ];
  return parts.join('; ');
}

const nodes = (names: readonly string[], state: string) =>
  names.length === 0 ? [] : [`${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ${state}`];

const vms = (count: number, what: string) => (count === 0 ? [] : [`${formatCount(count, 'VM')} ${what}`]);
