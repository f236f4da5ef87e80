import type { KubeObject } from '#platform/kube/kube-object';
import type { ScenarioSpec } from '../engine/scenario-spec.ts';
import { PLAYED_UID_LABEL } from './played-label.ts';

/** What a scenario brings when it begins. */
export interface ScenarioNames {
  readonly nodes: readonly string[];
  readonly vms: readonly string[];
}

/** Who is there already, as a scenario sees it that is about to begin. */
export interface ExistingObject {
  readonly uid: string;
  readonly node: (name: string) => KubeObject | undefined;
  readonly vm: (name: string) => KubeObject | undefined;
  /** The name of the scenario that has a uid; undefined where it is no more. */
  readonly scenario: (uid: string) => string | undefined;
}

/** Why a scenario does not begin: never, for others have its names; or not yet, for those that have them are going. */
export type Collision = { readonly taken: string } | 'leaving' | undefined;

const MAX_NAMES = 5;

export function namesOf({ nodes = [], vmPools = [] }: ScenarioSpec): ScenarioNames {
  const numbered = (groups: readonly { readonly name: string; readonly count: number }[]) =>
    groups.flatMap(({ name, count }) => Array.from({ length: count }, (_, at) => `${name}-${at + 1}`));
  return { nodes: numbered(nodes), vms: numbered(vmPools) };
}

/** Whether what a scenario brings has names that others have: it would take theirs for its own. */
export function collisionOf(names: ScenarioNames, present: ExistingObject): Collision {
  const found = [
    ...names.nodes.map((name) => holderOf('node', name, present.node(name), present)),
    ...names.vms.map((name) => holderOf('machine', name, present.vm(name), present)),
  ].flatMap((each) => (each === undefined ? [] : [each]));
  const taken = found.filter(({ by }) => by !== 'leaving');
  if (taken.length === 0) return found.length > 0 ? 'leaving' : undefined;
  return { taken: formatTaken(taken.map(({ what, by }) => `${what}${by}`)) };
}

/** Tells of names that others have, and what can be done. */
export function formatTaken(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `it brings what is there already: ${names.slice(0, MAX_NAMES).join(', ')}${more}: take that away, or give its nodes and vmPools other names; then delete it and create it again`;
}

interface Holder {
  readonly what: string;
  readonly by: string;
}

function holderOf(
  kind: 'node' | 'machine',
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
  return { what, by: other === undefined ? '' : ` of the scenario ${other}` };
}
