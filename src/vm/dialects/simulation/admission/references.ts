import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, invalid } from '#platform/base/field-error';

type Spec = SimulationScenario['spec'];

/** The parts of a scenario that others name. */
export interface ScenarioParts {
  readonly pools: ReadonlySet<string>;
  readonly profiles: ReadonlySet<string>;
  readonly hotSpots: ReadonlySet<string>;
  /** How many nodes each group may come to have; empty where the scenario brings no nodes of its own. */
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

/** Checks that a name, where there is one, is that of a part. */
export function validatePart(
  field: string,
  name: string | undefined,
  known: ReadonlySet<string>,
  list: string,
): FieldError[] {
  if (name === undefined || known.has(name)) return [];
  return [invalid(field, name, `must be the name of one of ${list}${formatKnown(known)}`)];
}

/** Checks the name of a machine, <pool>-<number>; how many there are changes with time, so any number is fine. */
export function validateVm(field: string, name: string | undefined, { pools }: ScenarioParts): FieldError[] {
  if (name === undefined || pools.has(parseNodeNumber(name)?.group ?? '')) return [];
  return [invalid(field, name, `must be a machine of one of spec.vmPools, as <pool>-<number>${formatKnown(pools)}`)];
}

/** Checks the name of a node; the nodes of the cluster, where the scenario brings none, are not known here. */
export function validateNode(field: string, name: string | undefined, { nodeGroups }: ScenarioParts): FieldError[] {
  if (name === undefined || nodeGroups.size === 0) return [];
  const { group = '', number = 0 } = parseNodeNumber(name) ?? {};
  if (number <= (nodeGroups.get(group) ?? -1)) return [];
  return [invalid(field, name, `must be a node of one of spec.nodes, as <group>-<number>${formatKnown(nodeGroups)}`)];
}

/** Checks a name that may be that of a node or of a whole group. */
export function validateNodeOrGroup(field: string, name: string, parts: ScenarioParts): FieldError[] {
  return parts.nodeGroups.has(name) ? [] : validateNode(field, name, parts);
}

/** Checks that the name of a group does not read as that of a node in another group. */
export function validateGroupName(field: string, name: string, { nodeGroups }: ScenarioParts): FieldError[] {
  const group = parseNodeNumber(name)?.group ?? '';
  return nodeGroups.has(group) ? [invalid(field, name, `reads as a node of the group ${group}`)] : [];
}

function parseNodeNumber(name: string): { group: string; number: number } | undefined {
  const [, group = '', number] = /^(.+)-([1-9][0-9]*)$/.exec(name) ?? [];
  return number === undefined ? undefined : { group, number: Number(number) };
}

function formatKnown(known: { readonly size: number; keys(): Iterable<string> }): string {
  return known.size === 0 ? ', and there are none' : `: ${[...known.keys()].join(', ')}`;
}
