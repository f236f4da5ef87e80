import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, index, invalid } from '#platform/base/field-error';
import { type ScenarioParts, validateNode, validateNodeOrGroup, validatePart, validateVm } from './references.ts';
import { validateWithin } from './times.ts';

type Spec = SimulationScenario['spec'];
type Event = NonNullable<Spec['timeline']>[number];
type ConditionalEvent = NonNullable<Spec['conditionalEvents']>[number];
type Action = ConditionalEvent['actions'][number];

export function validateEvent(field: string, event: Event, parts: ScenarioParts, end: string): FieldError[] {
  return [...validateWithin(`${field}.at`, event.at, end), ...validateAction(field, event, parts)];
}

export function validateConditionalEvent(
  field: string,
  event: ConditionalEvent,
  parts: ScenarioParts,
  end: string,
): FieldError[] {
  const { when, actions } = event;
  return [
    ...validateNodes(`${field}.when.nodes`, when.nodes, parts),
    ...validateThreshold(`${field}.when`, when),
    ...validateWithin(`${field}.when.for`, when.for, end),
    ...actions.flatMap((action, i) => validateAction(index(`${field}.actions`, i), action, parts)),
  ];
}

function validateAction(field: string, action: Action, parts: ScenarioParts): FieldError[] {
  return [
    ...validatePart(`${field}.pool`, action.pool, parts.pools, 'spec.vmPools'),
    ...validateVm(`${field}.vm`, action.vm, parts),
    ...validatePart(`${field}.profile`, action.profile, parts.profiles, 'spec.profiles'),
    ...validatePart(`${field}.nodeGroup`, action.nodeGroup, new Set(parts.nodeGroups.keys()), 'spec.nodes'),
    ...validateNodes(`${field}.nodes`, action.nodes, parts),
    ...validatePart(`${field}.hotSpot`, action.hotSpot, parts.hotSpots, 'spec.hotSpots'),
    ...validateNode(`${field}.targetNode`, action.targetNode, parts),
  ];
}

function validateNodes(field: string, nodes: readonly string[] = [], parts: ScenarioParts): FieldError[] {
  return nodes.flatMap((name, i) => validateNodeOrGroup(index(field, i), name, parts));
}

/** Maximum values of metrics. CPU usage may exceed a node, and VM counts are unbounded. */
const MAX_BY_METRIC: Readonly<Record<string, number>> = { memoryUsage: 1, cpuPressure: 1, memoryPressure: 1 };

/** Rejects a threshold that can never be crossed. */
function validateThreshold(
  field: string,
  { scope, metric, operator, threshold }: ConditionalEvent['when'],
): FieldError[] {
  const causes: FieldError[] = [];
  if (metric === 'pendingVMs' && scope === 'node') {
    causes.push(invalid(`${field}.metric`, metric, 'applies to the whole cluster: a pending VM has no node'));
  }
  const max = MAX_BY_METRIC[metric] ?? Number.POSITIVE_INFINITY;
  if (operator === 'above' && threshold >= max) {
    causes.push(invalid(`${field}.threshold`, threshold, `${metric} is never above ${max}`));
  }
  if (operator === 'below' && threshold <= 0) {
    causes.push(invalid(`${field}.threshold`, threshold, `${metric} is never below 0`));
  }
  return causes;
}
