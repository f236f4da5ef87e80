import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, index, invalid } from '#platform/base/field-error';
import { checkNode, checkNodeOrGroup, checkPart, type ScenarioParts, validateVm } from './references.ts';
import { checkWithin } from './times.ts';

type Spec = SimulationScenario['spec'];
type Event = NonNullable<Spec['timeline']>[number];
type ConditionalEvent = NonNullable<Spec['conditionalEvents']>[number];
type Action = ConditionalEvent['actions'][number];

export function checkEvent(field: string, event: Event, parts: ScenarioParts, end: string): FieldError[] {
  return [...checkWithin(`${field}.at`, event.at, end), ...checkAction(field, event, parts)];
}

export function checkConditionalEvent(
  field: string,
  event: ConditionalEvent,
  parts: ScenarioParts,
  end: string,
): FieldError[] {
  const { when, actions } = event;
  return [
    ...checkNodes(`${field}.when.nodes`, when.nodes, parts),
    ...checkThreshold(`${field}.when`, when),
    ...checkWithin(`${field}.when.for`, when.for, end),
    ...actions.flatMap((action, i) => checkAction(index(`${field}.actions`, i), action, parts)),
  ];
}

function checkAction(field: string, action: Action, parts: ScenarioParts): FieldError[] {
  return [
    ...checkPart(`${field}.pool`, action.pool, parts.pools, 'spec.vmPools'),
    ...validateVm(`${field}.vm`, action.vm, parts),
    ...checkPart(`${field}.profile`, action.profile, parts.profiles, 'spec.profiles'),
    ...checkPart(`${field}.nodeGroup`, action.nodeGroup, new Set(parts.nodeGroups.keys()), 'spec.nodes'),
    ...checkNodes(`${field}.nodes`, action.nodes, parts),
    ...checkPart(`${field}.hotSpot`, action.hotSpot, parts.hotSpots, 'spec.hotSpots'),
    ...checkNode(`${field}.targetNode`, action.targetNode, parts),
  ];
}

function checkNodes(field: string, nodes: readonly string[] = [], parts: ScenarioParts): FieldError[] {
  return nodes.flatMap((name, i) => checkNodeOrGroup(index(field, i), name, parts));
}

/** What a metric can reach at most; CPU use may exceed a node, and numbers of machines have no bound. */
const MAX_BY_METRIC: Readonly<Record<string, number>> = { memoryUsage: 1, cpuPressure: 1, memoryPressure: 1 };

/** A threshold that can never be crossed is a mistake, not a wish. */
function checkThreshold(field: string, { scope, metric, operator, threshold }: ConditionalEvent['when']): FieldError[] {
  const causes: FieldError[] = [];
  if (metric === 'pendingVMs' && scope === 'node') {
    causes.push(invalid(`${field}.metric`, metric, 'is about the cluster: a machine that waits has no node'));
  }
  const most = MAX_BY_METRIC[metric] ?? Number.POSITIVE_INFINITY;
  if (operator === 'above' && threshold >= most) {
    causes.push(invalid(`${field}.threshold`, threshold, `${metric} is never above ${most}`));
  }
  if (operator === 'below' && threshold <= 0) {
    causes.push(invalid(`${field}.threshold`, threshold, `${metric} is never below 0`));
  }
  return causes;
}
