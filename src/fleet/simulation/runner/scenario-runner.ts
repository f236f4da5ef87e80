import { DEFAULT_NODE } from '#api/launcher-load';
import type { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { amountsOf } from '#fleet/exporter/launcher-usage';
import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import type { Informers } from '#platform/runtime/informers';
import { sharedSize } from '#vm/usage/reference-node';
import { type EngineStep, ScenarioEngine } from '../engine/scenario-engine.ts';
import type { ScenarioSpec } from '../engine/scenario-spec.ts';
import { Availability, type Outage } from './availability.ts';
import { CommandExecutor, type NodeGroups } from './command-executor.ts';
import { FleetView } from './fleet-view.ts';
import { type Migration, Migrator } from './migrator.ts';

export interface ScenarioRunnerDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly fleet: Pick<ClusterFleet, 'loads'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly scenario: string;
  readonly owner?: KubeOwnerReference;
  readonly groups: NodeGroups;
  /** See Migrator. */
  readonly hurry?: () => number;
  readonly onMoved: (migration: Migration) => void;
  /** Called when a VM runs again, or is deleted without. Absent if nobody wants to know. */
  readonly onOutage?: (outage: Outage) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface ScenarioRunnerOptions {
  readonly tickMs: number;
  readonly resolution: number;
  readonly untilMs?: number;
}

/**
 * Interval at which VMs, tasks and conditions are evaluated: short enough for people, and long enough for a whole day.
 */
export const TICK_MS = 60_000;

/** Runs a scenario on a cluster by executing the commands of its engine. The caller decides when time has come. */
export class ScenarioRunner {
  readonly engine: ScenarioEngine;
  readonly view: FleetView;
  readonly migrator: Migrator;
  /** Measured only for those who want to know about outages. */
  readonly availability: Availability | undefined;
  readonly #executor: CommandExecutor;

  constructor(spec: ScenarioSpec, parts: ScenarioRunnerDeps, { tickMs, resolution, untilMs }: ScenarioRunnerOptions) {
    const { client, informers, fleet, clock, random, namespace, scenario, owner, groups, onMoved, onFailure } = parts;
    const vms = new Set<string>();
    this.view = new FleetView({ informers, fleet, namespace, vms });
    this.migrator = new Migrator({
      client,
      informers,
      clock,
      namespace,
      podOf: (vm) => this.view.podOf(vm),
      bandwidthMbps: spec.networkBandwidthMbps,
      ...(parts.hurry === undefined ? {} : { hurry: parts.hurry }),
      onMoved,
      onFailure,
    });
    const { onOutage } = parts;
    const isMigrating = (vm: string) => this.migrator.isMigrating(vm);
    this.availability = onOutage && new Availability({ informers, clock, namespace, vms, isMigrating, onOutage });
    const owned = owner === undefined ? {} : { owner };
    this.#executor = new CommandExecutor({
      client,
      namespace,
      scenario,
      vms,
      ...owned,
      groups,
      migrator: this.migrator,
      onFailure,
    });
    const reference = amountsOf(sharedSize(informers.of(NODES).cache.all()) ?? DEFAULT_NODE);
    const until = untilMs === undefined ? {} : { untilMs };
    this.engine = new ScenarioEngine(spec, { random, reference, tickMs, resolution, ...until });
  }

  /** Executes what is due at a simulated time. Returns the events, and whether the scenario requests a pause. */
  async step(time: number): Promise<Pick<EngineStep, 'events'> & { readonly pause: boolean }> {
    const { commands, events } = this.engine.step(time, this.view);
    await this.#executor.all(commands);
    return { events, pause: commands.some((command) => command.do === 'pause') };
  }

  stop(): void {
    this.migrator.stop();
  }
}
