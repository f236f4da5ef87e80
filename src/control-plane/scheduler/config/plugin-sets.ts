import { type FieldError, index, notSupported } from '#platform/base/field-error';
import { integerReader, listReader, objectReader, type Read, readText } from './reader.ts';

/** Plugins that are enabled at each extension point, and the weights of their scores. */
export interface PluginChoice {
  readonly filters: ReadonlySet<string>;
  readonly scores: ReadonlyMap<string, number>;
  readonly preemption: boolean;
}

export const FILTERS = [
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'VolumeRestrictions',
  'NodeVolumeLimits',
  'VolumeBinding',
  'VolumeZone',
  'PodTopologySpread',
  'InterPodAffinity',
] as const;

export const SCORE_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['TaintToleration', 3],
  ['NodeAffinity', 2],
  ['NodeResourcesFit', 1],
  ['PodTopologySpread', 2],
  ['InterPodAffinity', 2],
  ['NodeResourcesBalancedAllocation', 1],
  ['ImageLocality', 1],
]);

const PREEMPTION = 'DefaultPreemption';
/** Plugins that are always enabled and have no alternative. */
const FIXED = ['SchedulingGates', 'PrioritySort', 'DefaultBinder'];
const AT: Readonly<Record<'multiPoint' | 'filter' | 'score' | 'postFilter', readonly string[]>> = {
  multiPoint: [...new Set([...FILTERS, ...SCORE_WEIGHTS.keys(), PREEMPTION, ...FIXED])],
  filter: FILTERS,
  score: [...SCORE_WEIGHTS.keys()],
  postFilter: [PREEMPTION],
};

type Point = keyof typeof AT;
interface PointSet {
  readonly enabled: readonly { readonly name: string; readonly weight: number | undefined }[];
  readonly disabled: ReadonlySet<string>;
}

const named = objectReader({ name: readText, weight: integerReader(0, 2 ** 31 - 1) });

function pointSet(point: Point): Read<PointSet> {
  const read = objectReader({ enabled: listReader(named), disabled: listReader(named) });
  return (value, path, causes) => {
    const { enabled = [], disabled = [] } = read(value, path, causes) ?? {};
    const known = AT[point];
    enabled.forEach(({ name = '' }, i) => checkName(name, known, `${index(`${path}.enabled`, i)}.name`, causes));
    disabled.forEach(({ name = '' }, i) =>
      checkName(name, [...known, '*'], `${index(`${path}.disabled`, i)}.name`, causes),
    );
    return {
      enabled: enabled.map(({ name = '', weight }) => ({ name, weight })),
      disabled: new Set(disabled.map(({ name = '' }) => name)),
    };
  };
}

function checkName(name: string, known: readonly string[], path: string, causes: FieldError[]): void {
  if (!known.includes(name)) causes.push(notSupported(path, name, known));
}

const readSets = objectReader({
  multiPoint: pointSet('multiPoint'),
  filter: pointSet('filter'),
  score: pointSet('score'),
  postFilter: pointSet('postFilter'),
});

/** Parses `plugins` of a profile. Settings of one extension point override those of multiPoint. */
export function pluginChoice(value: unknown, path: string, causes: FieldError[]): PluginChoice {
  const sets = readSets(value, path, causes) ?? {};
  const { multiPoint, score } = sets;
  const everywhere = (name: string) => {
    if (multiPoint?.enabled.some((each) => each.name === name)) return true;
    return !isDisabled(multiPoint, name);
  };
  const takesPart = (set: PointSet | undefined, name: string) =>
    set?.enabled.some((each) => each.name === name) === true || (everywhere(name) && !isDisabled(set, name));
  const weightOf = (name: string, fallback: number) => {
    const given = [score, multiPoint].map((set) => set?.enabled.find((each) => each.name === name)?.weight);
    return given.find((weight) => weight !== undefined && weight > 0) ?? fallback;
  };
  return {
    filters: new Set(FILTERS.filter((name) => takesPart(sets.filter, name))),
    scores: new Map(
      [...SCORE_WEIGHTS]
        .filter(([name]) => takesPart(score, name))
        .map(([name, fallback]) => [name, weightOf(name, fallback)]),
    ),
    preemption: takesPart(sets.postFilter, PREEMPTION),
  };
}

const isDisabled = (set: PointSet | undefined, name: string): boolean =>
  set?.disabled.has('*') === true || set?.disabled.has(name) === true;
