import { USUAL_NODE } from '#api/launcher-load';
import type { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { amountsOf } from '#fleet/exporter/launcher-demand';
import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import type { Informers } from '#platform/runtime/informers';
import { sharedSize } from '#vm/usage/reference-node';
import { Course, type Step } from '../course/course.ts';
import type { ScenarioSpec } from '../course/scenario-spec.ts';
import { Doer, type NodeGroups } from './doer.ts';
import { FleetView } from './fleet-view.ts';
import { type Migration, Mover } from './mover.ts';

export interface StageParts {
  readonly client: Client;
  readonly informers: Informers;
  readonly fleet: Pick<ClusterFleet, 'loads'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  readonly scenario: string;
  readonly owner?: KubeOwnerReference;
  readonly groups: NodeGroups;
  /** See Mover. */
  readonly hurry?: () => number;
  readonly onMoved: (migration: Migration) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface StageOptions {
  readonly tickMs: number;
  readonly resolution: number;
  readonly untilMs?: number;
}

/** How often machines, tasks and conditions are looked at: often enough for people, and seldom enough for a whole day. */
export const TICK_MS = 60_000;

/** A scenario on a cluster: the course decides, and what it asks for is done. Who plays it says when time has come. */
export class Stage {
  readonly course: Course;
  readonly view: FleetView;
  readonly mover: Mover;
  readonly #doer: Doer;

  constructor(spec: ScenarioSpec, parts: StageParts, { tickMs, resolution, untilMs }: StageOptions) {
    const { client, informers, fleet, clock, random, namespace, scenario, owner, groups, onMoved, onFailure } = parts;
    const machines = new Set<string>();
    this.view = new FleetView({ informers, fleet, namespace, machines });
    this.mover = new Mover({
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
    const owned = owner === undefined ? {} : { owner };
    this.#doer = new Doer({ client, namespace, scenario, machines, ...owned, groups, mover: this.mover, onFailure });
    const reference = amountsOf(sharedSize(informers.of(NODES).cache.all()) ?? USUAL_NODE);
    const until = untilMs === undefined ? {} : { untilMs };
    this.course = new Course(spec, { random, reference, tickMs, resolution, ...until });
  }

  /** Does what is due at a simulated time; says what happened, and whether the scenario wants to pause. */
  async step(time: number): Promise<Pick<Step, 'happenings'> & { readonly pause: boolean }> {
    const { deeds, happenings } = this.course.step(time, this.view);
    await this.#doer.all(deeds);
    return { happenings, pause: deeds.some((deed) => deed.do === 'pause') };
  }

  stop(): void {
    this.mover.stop();
  }
}
