import { simulationScenario } from '#api/simulation/simulation-scenario';
import { formatDuration } from '#platform/base/duration';
import { groupedVms, type VmGroup } from './grouped-vms.ts';
import type { TraceFormatVm } from './trace-format.ts';
import type { Series, TraceVms, TraceWindow } from './trace-vms.ts';

/** Limits of a SimulationScenario. */
const MAX_POOLS = 64;
const MAX_EVENTS = 500;
/** Smallest VM that is simulated. */
const MIN_CORES = 0.01;
const MIN_MEMORY_MI = 16;

export interface ScenarioFromTraceOptions {
  readonly name: string;
  readonly nodes: number;
  readonly machine: TraceFormatVm;
  readonly seed: number;
}

export interface ImportedScenario {
  readonly scenario: object;
  readonly pools: number;
  /** Number of VMs that began and ended between two events, and were left out. */
  readonly brief: number;
}

/** Returns a SimulationScenario whose pools start, stop and use what the VMs of a trace did. */
export function scenarioFromTrace(vms: TraceVms, options: ScenarioFromTraceOptions): ImportedScenario {
  const { window } = vms;
  const groups = groupedVms(vms.all, MAX_POOLS);
  const { events, counts, brief } = lifecycleOf(groups, window);
  const { name, nodes, machine, seed } = options;
  const scenario = {
    apiVersion: simulationScenario.apiVersion,
    kind: simulationScenario.kind,
    metadata: { name },
    spec: {
      duration: formatDuration(window.durationMs),
      seed,
      nodes: [{ name: 'node', count: nodes, cpu: `${machine.cores}`, memory: `${machine.memoryGi}Gi`, maxPods: 1000 }],
      profiles: groups.map(({ vms: some }, at) => ({
        name: poolName(at),
        cpu: signalOf(
          some.map(({ cpu }) => cpu),
          window,
          1,
        ),
        ...(some.some(({ memory }) => memory !== undefined)
          ? {
              memory: signalOf(
                some.map(({ memory }) => memory),
                window,
                1,
              ),
            }
          : {}),
      })),
      vmPools: groups.map((group, at) => ({
        name: poolName(at),
        count: counts[at] ?? 0,
        resources: resourcesOf(group),
        profile: poolName(at),
      })),
      timeline: events,
    },
  };
  return { scenario, pools: groups.length, brief };
}

const poolName = (at: number) => `vm-${at + 1}`;

function resourcesOf({ cores, memoryGi }: VmGroup): object {
  const cpu = Math.max(MIN_CORES, cores);
  return {
    cpu: `${Math.round(cpu * 1000)}m`,
    memory: `${Math.max(MIN_MEMORY_MI, Math.round(memoryGi * 1024))}Mi`,
  };
}

/** Returns the mean usage of VMs as recorded points. Intervals without a measurement continue the one before. */
function signalOf(
  all: readonly (Series | undefined)[],
  { durationMs, intervalMs }: TraceWindow,
  fallback: number,
): object {
  const known = all.filter((series) => series !== undefined);
  const points: { readonly at: string; readonly value: number }[] = [];
  for (let slot = 0; slot < Math.ceil(durationMs / intervalMs); slot++) {
    const values = known.flatMap((series) => series.mean(slot) ?? []);
    if (values.length === 0) continue;
    const value = Number((values.reduce((sum, each) => sum + each, 0) / values.length).toFixed(4));
    if (points.at(-1)?.value !== value) points.push({ at: formatDuration(slot * intervalMs), value });
  }
  if (points.length === 0) return { type: 'constant', constant: { value: fallback } };
  return { type: 'trace', trace: { interpolation: 'step', points } };
}

interface Lifecycle {
  readonly events: readonly object[];
  /** Number of VMs of each group at the start. */
  readonly counts: readonly number[];
  readonly brief: number;
}

/** Returns when VMs are created and deleted. Times are rounded until a scenario can hold all events. */
function lifecycleOf(groups: readonly VmGroup[], window: TraceWindow): Lifecycle {
  for (let step = window.intervalMs; ; step *= 2) {
    const found = roundedLifecycle(groups, window, step);
    if (found.events.length <= MAX_EVENTS || step >= window.durationMs) return found;
  }
}

function roundedLifecycle(groups: readonly VmGroup[], { from, durationMs }: TraceWindow, step: number): Lifecycle {
  const counts: number[] = [];
  const events: { readonly time: number; readonly event: object }[] = [];
  let brief = 0;
  const rounded = (time: number) => Math.round(Math.max(0, time - from) / step) * step;
  groups.forEach(({ vms }, at) => {
    const changes = new Map<number, { created: number; deleted: number }>();
    const change = (time: number) => {
      const found = changes.get(time) ?? { created: 0, deleted: 0 };
      changes.set(time, found);
      return found;
    };
    for (const { createdAt, deletedAt } of vms) {
      const [created, deleted] = [rounded(createdAt), rounded(deletedAt)];
      if (deleted <= created || created >= durationMs) {
        brief++;
        continue;
      }
      change(created).created++;
      if (deleted < durationMs) change(deleted).deleted++;
    }
    counts.push(changes.get(0)?.created ?? 0);
    for (const [time, { created, deleted }] of changes) {
      const pool = poolName(at);
      const when = formatDuration(time);
      if (deleted > 0) events.push({ time, event: { at: when, action: 'delete', pool, count: deleted } });
      if (created > 0 && time > 0) events.push({ time, event: { at: when, action: 'create', pool, count: created } });
    }
  });
  // A stable sort keeps the order of pools, so that the same trace gives the same scenario.
  return { events: events.sort((a, b) => a.time - b.time).map(({ event }) => event), counts, brief };
}
