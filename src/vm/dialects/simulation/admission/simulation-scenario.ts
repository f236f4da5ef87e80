import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, forbidden, index } from '#platform/base/field-error';
import { jsonEqual } from '#platform/base/json-equal';
import type { Admitter } from '#vm/admission/admitter';
import { plausibleBytes, positiveDuration, positiveQuantity } from '#vm/admission/amounts';
import { changesSpec } from '#vm/admission/changes-spec';
import { labels } from '#vm/admission/names';
import { profileWarnings, validateProfile } from './profile.ts';
import { partsOf, type ScenarioParts, validateGroupName, validateNodeOrGroup, validatePart } from './references.ts';
import { validateResources } from './resources.ts';
import { validateConditionalEvent, validateEvent } from './scenario-event.ts';
import { validateGenerator } from './task-generator.ts';

type Spec = SimulationScenario['spec'];
type NodeGroup = NonNullable<Spec['nodes']>[number];
type Pool = NonNullable<Spec['vmPools']>[number];
type HotSpot = NonNullable<Spec['hotSpots']>[number];

/** Fields that users may change while the scenario runs. */
const ADJUSTABLE: ReadonlySet<string> = new Set(['paused', 'timeScale']);

export const simulationScenarioAdmitter: Admitter<typeof simulationScenario> = {
  kind: simulationScenario,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { object, old } = request;
    return {
      causes: [
        ...validateSpec('spec', object.spec),
        ...(old === undefined ? [] : validateChange('spec', object.spec, old)),
      ],
      warnings: each('spec.profiles', object.spec.profiles, profileWarnings),
    };
  },
};

function validateSpec(field: string, spec: Spec): FieldError[] {
  const parts = partsOf(spec);
  const end = spec.duration;
  return [
    ...positiveDuration(`${field}.duration`, spec.duration),
    ...each(`${field}.nodes`, spec.nodes, (at, group) => validateNodeGroup(at, group, parts)),
    ...each(`${field}.vmPools`, spec.vmPools, (at, pool) => validatePool(at, pool, parts)),
    ...each(`${field}.profiles`, spec.profiles, validateProfile),
    ...each(`${field}.hotSpots`, spec.hotSpots, (at, hotSpot) => validateHotSpot(at, hotSpot, parts)),
    ...each(`${field}.timeline`, spec.timeline, (at, event) => validateEvent(at, event, parts, end)),
    ...each(`${field}.taskGenerators`, spec.taskGenerators, (at, generator) =>
      validateGenerator(at, generator, parts, end),
    ),
    ...each(`${field}.conditionalEvents`, spec.conditionalEvents, (at, event) =>
      validateConditionalEvent(at, event, parts, end),
    ),
  ];
}

function each<T, R>(field: string, items: readonly T[] | undefined, check: (field: string, item: T) => R[]): R[] {
  return (items ?? []).flatMap((item, i) => check(index(field, i), item));
}

function validateNodeGroup(
  field: string,
  { name, cpu, memory, ...group }: NodeGroup,
  parts: ScenarioParts,
): FieldError[] {
  return [
    ...validateGroupName(`${field}.name`, name, parts),
    ...positiveQuantity(`${field}.cpu`, cpu),
    ...plausibleBytes(`${field}.memory`, memory, 'memory'),
    ...labels(`${field}.labels`, group.labels),
  ];
}

function validatePool(field: string, { resources, profile, ...pool }: Pool, { profiles }: ScenarioParts): FieldError[] {
  return [
    ...validateResources(`${field}.resources`, resources),
    ...validatePart(`${field}.profile`, profile, profiles, 'spec.profiles'),
    ...labels(`${field}.labels`, pool.labels),
  ];
}

function validateHotSpot(field: string, { nodes = [] }: HotSpot, parts: ScenarioParts): FieldError[] {
  return nodes.flatMap((name, i) => validateNodeOrGroup(index(`${field}.nodes`, i), name, parts));
}

/** Rejects changes after the start, which would invalidate what was already simulated. */
function validateChange(field: string, spec: Spec, { spec: before, status }: SimulationScenario): FieldError[] {
  if (status?.phase === undefined || status.phase === 'Pending') return [];
  const changed = Object.keys({ ...before, ...spec }).filter((name) => {
    const part = name as keyof Spec;
    return !ADJUSTABLE.has(name) && !jsonEqual(spec[part], before[part]);
  });
  return changed.map((name) =>
    forbidden(`${field}.${name}`, 'only paused and timeScale may be changed after the scenario has started'),
  );
}
