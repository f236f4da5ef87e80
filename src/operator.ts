import type { Clock } from './base/clock.ts';
import type { Logger } from './base/logger.ts';
import type { Random } from './base/random.ts';
import { instances } from './controllers/instance/controller.ts';
import { INSTANCE_RULES } from './controllers/instance/rules.ts';
import { migrations } from './controllers/migration/controller.ts';
import { evacuations } from './controllers/migration/evacuation.ts';
import { MIGRATION_RULES } from './controllers/migration/rules.ts';
import type { Client } from './kube/client.ts';
import type { PolicyRule } from './kube/kinds/rbac.ts';
import type { KubeObject } from './kube/kube-object.ts';
import { AddressPool } from './machine/address-pool.ts';
import { machineController } from './machine/controller.ts';
import type { Dialect } from './machine/dialect.ts';
import { PassingStates } from './machine/passing-state.ts';
import { machineRules } from './machine/rules.ts';
import { SUBRESOURCE_RULES } from './machine/subresources/rules.ts';
import { type Controller, runnable } from './runtime/controller.ts';
import type { Events } from './runtime/events/events.ts';
import type { Informers } from './runtime/informers.ts';
import type { Metrics } from './runtime/metrics.ts';
import type { Runnable } from './runtime/runnable.ts';

export interface OperatorSettings {
  readonly dialects: readonly Dialect[];
  readonly rollout: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfterMs: number;
}

export interface OperatorParts {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: Events;
  readonly metrics?: Metrics;
}

/** What only the leading operator does: machines of every group, their instances, and their migrations. */
export function operatorControllers(settings: OperatorSettings, parts: OperatorParts): Runnable[] {
  const { dialects, rollout, nodeLostAfterMs } = settings;
  const addresses = new AddressPool();
  const passing = new PassingStates();
  const of = <T extends KubeObject>(controller: Controller<T>, component: string) =>
    runnable(controller, { ...parts, events: parts.events.recorder(component) });
  return [
    ...dialects.map((dialect) =>
      of(machineController({ dialect, dialects, addresses, passing, rollout }), 'virtualmachine-controller'),
    ),
    of(instances({ nodeLostAfterMs, addresses: { pool: addresses, dialects } }), 'virtualmachine-controller'),
    of(migrations(), 'virtualmachine-controller'),
    of(evacuations(), 'disruptionbudget-controller'),
  ];
}

export function operatorRules(dialects: readonly Dialect[]): PolicyRule[] {
  return [
    ...machineRules(dialects.map(({ kind }) => kind)),
    ...INSTANCE_RULES,
    ...MIGRATION_RULES,
    ...SUBRESOURCE_RULES,
  ];
}
