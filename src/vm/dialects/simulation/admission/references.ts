import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, invalid } from '#platform/base/field-error';

type Spec = SimulationScenario['spec'];

/** Parts of a scenario that other parts refer to by name. */
export interface ScenarioParts {
  readonly pools: ReadonlySet<string>;
  readonly profiles: ReadonlySet<string>;
  readonly hotSpots: ReadonlySet<string>;
  /** Maximum number of nodes per group. Empty if the scenario has no nodes of its own. */
  readonly nodeGroups: ReadonlyMap<string, number>;
}

export function partsOf({ vmPools = [], profiles = [], hotSpots = [], nodes = [], ...events }: Spec): ScenarioParts {
  const actions = [...(events.timeline ?? []), ...(events.conditionalEvents ?? []).flatMap(({ actions }) => actions)];
  const growing = new Set(actions.map(({ action, nodeGroup }) => (action === 'addNodes' ? nodeGroup : undefined)));
  return {
    pools: namesOf(vmPools),
    profiles: namesOf(profiles),
    hotSpots: namesOf(hotSpots),
    nodeGroups: new Map(nodes.map(({ name, count }) => [name, growing.has(name) ? Number.POSITIVE_INFINITY : count])),
  };
}

function namesOf(parts: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(parts.map(({ name }) => name));
}

/** Validates that a name, if set, is that of a part. */
export function validatePart(
  field: string,
  name: string | undefined,
  known: ReadonlySet<string>,
  list: string,
): FieldError[] {
  if (name === undefined || known.has(name)) return [];
  return [invalid(field, name, `must be the name of one of ${list}${formatKnown(known)}`)];
}

/** Validates a VM name, <pool>-<number>. The number of VMs changes over time, so any number is valid. */
export function validateVm(field: string, name: string | undefined, { pools }: ScenarioParts): FieldError[] {
  if (name === undefined || pools.has(parseNodeNumber(name)?.group ?? '')) return [];
  return [invalid(field, name, `must be a VM of one of spec.vmPools, as <pool>-<number>${formatKnown(pools)}`)];
}

/** Validates a node name. If the scenario has no nodes, those of the cluster are unknown here. */
export function validateNode(field: string, name: string | undefined, { nodeGroups }: ScenarioParts): FieldError[] {
  if (name === undefined || nodeGroups.size === 0) return [];
  const { group = '', number = 0 } = parseNodeNumber(name) ?? {};
  if (number <= (nodeGroups.get(group) ?? -1)) return [];
  return [invalid(field, name, `must be a node of one of spec.nodes, as <group>-<number>${formatKnown(nodeGroups)}`)];
}

/** Validates the name of a node or of a whole group. */
export function validateNodeOrGroup(field: string, name: string, parts: ScenarioParts): FieldError[] {
  return parts.nodeGroups.has(name) ? [] : validateNode(field, name, parts);
}

/** Validates that a group name cannot be mistaken for a node of another group. */
export function validateGroupName(field: string, name: string, { nodeGroups }: ScenarioParts): FieldError[] {
  const group = parseNodeNumber(name)?.group ?? '';
  return nodeGroups.has(group) ? [invalid(field, name, `could be a node of group ${group}`)] : [];
}

function parseNodeNumber(name: string): { group: string; number: number } | undefined {
  const [, group = '', number] = /^(.+)-([1-9][0-9]*)$/.exec(name) ?? [];
  return number === undefined ? undefined : { group, number: Number(number) };
}

function formatKnown(known: { readonly size: number; keys(): Iterable<string> }): string {
  return known.size === 0 ? ', and there are none' : `: ${[...known.keys()].join(', ')}`;
}
