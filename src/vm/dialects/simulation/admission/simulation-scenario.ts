import { isDeepStrictEqual } from 'node:util';
import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, forbidden, index } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import { positiveDuration, positiveQuantity } from '#vm/admission/amounts';
import { changesSpec } from '#vm/admission/changes-spec';
import { labels } from '#vm/admission/names';
import { checkProfile, profileWarnings } from './profile.ts';
import { checkGroupName, checkNodeOrGroup, checkPart, partsOf, type ScenarioParts } from './references.ts';
import { checkResources } from './resources.ts';
import { checkConditionalEvent, checkEvent } from './scenario-event.ts';
import { checkGenerator } from './task-generator.ts';

type Spec = SimulationScenario['spec'];
type NodeGroup = NonNullable<Spec['nodes']>[number];
type Pool = NonNullable<Spec['vmPools']>[number];
type HotSpot = NonNullable<Spec['hotSpots']>[number];

/** What a user may turn while the scenario runs. */
const ADJUSTABLE: ReadonlySet<string> = new Set(['paused', 'timeScale']);

export const simulationScenarioAdmitter: Admitter<typeof simulationScenario> = {
  kind: simulationScenario,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { object, old } = request;
    return {
      causes: [...checkSpec('spec', object.spec), ...(old === undefined ? [] : checkChange('spec', object.spec, old))],
      warnings: each('spec.profiles', object.spec.profiles, profileWarnings),
    };
  },
};

function checkSpec(field: string, spec: Spec): FieldError[] {
  const parts = partsOf(spec);
  const end = spec.duration;
  return [
    ...positiveDuration(`${field}.duration`, spec.duration),
    ...each(`${field}.nodes`, spec.nodes, (at, group) => checkNodeGroup(at, group, parts)),
    ...each(`${field}.vmPools`, spec.vmPools, (at, pool) => checkPool(at, pool, parts)),
    ...each(`${field}.profiles`, spec.profiles, checkProfile),
    ...each(`${field}.hotSpots`, spec.hotSpots, (at, hotSpot) => checkHotSpot(at, hotSpot, parts)),
    ...each(`${field}.timeline`, spec.timeline, (at, event) => checkEvent(at, event, parts, end)),
    ...each(`${field}.taskGenerators`, spec.taskGenerators, (at, generator) =>
      checkGenerator(at, generator, parts, end),
    ),
    ...each(`${field}.conditionalEvents`, spec.conditionalEvents, (at, event) =>
      checkConditionalEvent(at, event, parts, end),
    ),
  ];
}

function each<T, R>(field: string, items: readonly T[] | undefined, check: (field: string, item: T) => R[]): R[] {
  return (items ?? []).flatMap((item, i) => check(index(field, i), item));
}

function checkNodeGroup(field: string, { name, cpu, memory, ...group }: NodeGroup, parts: ScenarioParts): FieldError[] {
  return [
    ...checkGroupName(`${field}.name`, name, parts),
    ...positiveQuantity(`${field}.cpu`, cpu),
    ...positiveQuantity(`${field}.memory`, memory),
    ...labels(`${field}.labels`, group.labels),
  ];
}

function checkPool(field: string, { resources, profile, ...pool }: Pool, { profiles }: ScenarioParts): FieldError[] {
  return [
    ...checkResources(`${field}.resources`, resources),
    ...checkPart(`${field}.profile`, profile, profiles, 'spec.profiles'),
    ...labels(`${field}.labels`, pool.labels),
  ];
}

function checkHotSpot(field: string, { nodes = [] }: HotSpot, parts: ScenarioParts): FieldError[] {
  return nodes.flatMap((name, i) => checkNodeOrGroup(index(`${field}.nodes`, i), name, parts));
}

/** Once it has begun, another course would make nonsense of what was already simulated. */
function checkChange(field: string, spec: Spec, { spec: before, status }: SimulationScenario): FieldError[] {
  if (status?.phase === undefined || status.phase === 'Pending') return [];
  const changed = Object.keys({ ...before, ...spec }).filter((name) => {
    const part = name as keyof Spec;
    return !ADJUSTABLE.has(name) && !isDeepStrictEqual(spec[part], before[part]);
  });
  return changed.map((name) =>
    forbidden(`${field}.${name}`, 'only paused and timeScale may be changed once the scenario has begun'),
  );
}
