import type { KubeObject } from '#platform/kube/kube-object';
import type { ScenarioSpec } from '../engine/scenario-spec.ts';
import { PLAYED_UID_LABEL } from './played-label.ts';

/** Names of the objects that a scenario creates at its start. */
export interface ScenarioNames {
  readonly nodes: readonly string[];
  readonly vms: readonly string[];
}

/** Lookup of existing objects for a scenario that is about to start. */
export interface ExistingObject {
  readonly uid: string;
  readonly node: (name: string) => KubeObject | undefined;
  readonly vm: (name: string) => KubeObject | undefined;
  /** Returns the name of the scenario with a uid, or undefined if it does not exist anymore. */
  readonly scenario: (uid: string) => string | undefined;
}

/** Reason why a scenario does not start: others have its names, or those that have them are terminating. */
export type Collision = { readonly taken: string } | 'leaving' | undefined;

const MAX_NAMES = 5;

export function namesOf({ nodes = [], vmPools = [] }: ScenarioSpec): ScenarioNames {
  const numbered = (groups: readonly { readonly name: string; readonly count: number }[]) =>
    groups.flatMap(({ name, count }) => Array.from({ length: count }, (_, at) => `${name}-${at + 1}`));
  return { nodes: numbered(nodes), vms: numbered(vmPools) };
}

/** Checks whether other objects have the names that a scenario needs, which it would mistake for its own. */
export function collisionOf(names: ScenarioNames, present: ExistingObject): Collision {
  const found = [
    ...names.nodes.map((name) => holderOf('node', name, present.node(name), present)),
    ...names.vms.map((name) => holderOf('VM', name, present.vm(name), present)),
  ].flatMap((each) => (each === undefined ? [] : [each]));
  const taken = found.filter(({ by }) => by !== 'leaving');
  if (taken.length === 0) return found.length > 0 ? 'leaving' : undefined;
  return { taken: formatTaken(taken.map(({ what, by }) => `${what}${by}`)) };
}

/** Formats the names that are taken, with a remedy. */
export function formatTaken(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `already exists: ${names.slice(0, MAX_NAMES).join(', ')}${more}: delete that, or rename the nodes and vmPools of the scenario; then delete the scenario and create it again`;
}

interface Holder {
  readonly what: string;
  readonly by: string;
}

function holderOf(
  kind: 'node' | 'VM',
  name: string,
  object: KubeObject | undefined,
  { uid, scenario }: ExistingObject,
): Holder | undefined {
  if (object === undefined) return undefined;
  const { labels = {}, ownerReferences = [], deletionTimestamp } = object.metadata;
  const owner = ownerReferences.find((each) => each.kind === 'SimulationScenario')?.uid ?? labels[PLAYED_UID_LABEL];
  if (owner === uid) return undefined;
  const what = `${kind} ${name}`;
  const other = owner === undefined ? undefined : scenario(owner);
  if (deletionTimestamp !== undefined || (owner !== undefined && other === undefined)) return { what, by: 'leaving' };
  return { what, by: other === undefined ? '' : ` of scenario ${other}` };
}
