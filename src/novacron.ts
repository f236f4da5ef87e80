import { virtualMachine } from './api/novacron/virtual-machine.ts';
import type { Clock } from './base/clock.ts';
import { ClaimRefusals } from './controllers/machine-parts/claim-refusals.ts';
import { machineParts } from './controllers/machine-parts/controller.ts';
import { claimsGatherer } from './controllers/machine-parts/gatherer.ts';
import { NOVACRON_PARTS } from './controllers/machine-parts/novacron.ts';
import { COPIED_PARTS_RULES, machinePartsRules } from './controllers/machine-parts/rules.ts';
import { usageRounds } from './controllers/machine-parts/usage.ts';
import { isHypersdkOn, type Running } from './hypersdk.ts';
import type { Vmi } from './kube/kinds/machines.ts';
import type { PolicyRule } from './kube/kinds/rbac.ts';
import type { Dialect } from './machine/dialect.ts';
import type { Gatherers } from './machine/gatherer.ts';
import type { Usage } from './machine/metrics.ts';
import type { Runnable } from './runtime/runnable.ts';

/** Whether machines of novacron.io are looked after. */
function isNovacronOn(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ kind }) => kind.group === virtualMachine.group);
}

interface NovacronSettings {
  readonly dialects: readonly Dialect[];
  /** What an instance that runs uses; absent where nobody knows. */
  readonly usage: ((instance: Vmi) => Usage | undefined) | undefined;
  /** The only namespace that is managed, where it is one. */
  readonly onlyNamespace?: string | undefined;
  readonly clock: Clock;
}

/** What is done for the group beside its machines, and what those are measured by. */
export function novacronParts(
  run: Running,
  { dialects, usage, clock, onlyNamespace }: NovacronSettings,
): { readonly gatherers: Gatherers; readonly runnables: readonly Runnable[] } {
  if (!isNovacronOn(dialects)) return { gatherers: {}, runnables: [] };
  const operations = isHypersdkOn(dialects);
  const refusals = new ClaimRefusals();
  const rounds = usage === undefined ? undefined : usageRounds(NOVACRON_PARTS, { usage, clock });
  return {
    gatherers: {
      claims: claimsGatherer(NOVACRON_PARTS, operations, refusals),
      ...(rounds === undefined ? {} : { usage: rounds.gatherer }),
    },
    runnables: [
      run(machineParts(NOVACRON_PARTS, operations, refusals, onlyNamespace), 'virtualmachine-controller'),
      ...(rounds === undefined ? [] : [rounds.runnable]),
    ],
  };
}

/** What that takes. */
export function novacronRules(dialects: readonly Dialect[]): readonly PolicyRule[] {
  if (!isNovacronOn(dialects)) return [];
  return [...machinePartsRules(NOVACRON_PARTS), ...(isHypersdkOn(dialects) ? COPIED_PARTS_RULES : [])];
}
