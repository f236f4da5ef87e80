import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import type { FitFilterArgs } from '../filters/node-resources-fit.ts';
import type { PreemptionArgs } from '../framework/profile.ts';
import type { SpreadConstraintSpec } from '../pod/spread-constraint.ts';
import type { ShapePoint } from '../scores/allocation-strategy.ts';
import { INTER_POD_AFFINITY, type InterPodAffinityArgs } from '../scores/inter-pod-affinity.ts';
import { LEAST_ALLOCATED, type ScoringStrategy } from '../scores/node-resources-fit.ts';
import { CPU_AND_MEMORY, type WeightedResource } from '../scores/resource-figures.ts';
import { BUILT_IN_SPREAD, type SpreadDefaults } from '../spread/spread-defaults.ts';
import { enumReader, integerReader, listReader, objectReader, type Read, readFlag, readText } from './reader.ts';

/** Arguments of the plugins that have any. */
export interface PluginArgs {
  readonly fit: FitFilterArgs & { readonly scoringStrategy: ScoringStrategy };
  readonly balanced: readonly WeightedResource[];
  readonly affinity: InterPodAffinityArgs;
  readonly spread: SpreadDefaults;
  readonly preemption: PreemptionArgs;
  readonly bindTimeoutMs: number;
}

export const DEFAULT_ARGS: PluginArgs = {
  fit: { scoringStrategy: LEAST_ALLOCATED },
  balanced: CPU_AND_MEMORY,
  affinity: INTER_POD_AFFINITY,
  spread: BUILT_IN_SPREAD,
  preemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
  bindTimeoutMs: 600_000,
};

/** The arguments may state their type, but the plugin that they belong to follows from their position. */
const typed = { apiVersion: readText, kind: readText };
const resources = listReader(objectReader({ name: readText, weight: integerReader(1, 100) }));
const shape = listReader(objectReader({ utilization: integerReader(0, 100), score: integerReader(0, 10) }));

type ReadArgs = (value: unknown, path: string, causes: FieldError[], args: PluginArgs) => PluginArgs;

/** Parsers by plugin name, each of which merges the arguments of its plugin into those known already. */
export const READ_ARGS: Readonly<Record<string, ReadArgs>> = {
  NodeResourcesFit(value, path, causes, args) {
    const ratio = objectReader({ shape });
    const strategy = objectReader({
      type: enumReader(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']),
      resources,
      requestedToCapacityRatio: ratio,
    });
    const read = objectReader({
      ...typed,
      ignoredResources: listReader(readText),
      ignoredResourceGroups: listReader(readText),
      scoringStrategy: strategy,
    })(value, path, causes);
    const { scoringStrategy: given, ignoredResources, ignoredResourceGroups } = read ?? {};
    const type = given?.type ?? 'LeastAllocated';
    const points = (given?.requestedToCapacityRatio?.shape ?? []).map(({ utilization = 0, score = 0 }) => ({
      utilization,
      score,
    }));
    if (type === 'RequestedToCapacityRatio') {
      checkShape(points, `${path}.scoringStrategy.requestedToCapacityRatio.shape`, causes);
    }
    return {
      ...args,
      fit: {
        ...(ignoredResources === undefined ? {} : { ignoredResources }),
        ...(ignoredResourceGroups === undefined ? {} : { ignoredResourceGroups }),
        scoringStrategy: { type, shape: points, resources: weightedResources(given?.resources) ?? CPU_AND_MEMORY },
      },
    };
  },
  NodeResourcesBalancedAllocation(value, path, causes, args) {
    const read = objectReader({ ...typed, resources })(value, path, causes);
    return { ...args, balanced: weightedResources(read?.resources) ?? CPU_AND_MEMORY };
  },
  InterPodAffinity(value, path, causes, args) {
    const fields = {
      ...typed,
      hardPodAffinityWeight: integerReader(0, 100),
      ignorePreferredTermsOfExistingPods: readFlag,
    };
    const { apiVersion: _version, kind: _kind, ...read } = objectReader(fields)(value, path, causes) ?? {};
    return { ...args, affinity: { ...INTER_POD_AFFINITY, ...read } };
  },
  PodTopologySpread(value, path, causes, args) {
    const constraint = objectReader({
      topologyKey: readText,
      maxSkew: integerReader(1, 2 ** 31 - 1),
      whenUnsatisfiable: enumReader(['DoNotSchedule', 'ScheduleAnyway']),
    });
    const fields = {
      ...typed,
      defaultConstraints: listReader(constraint),
      defaultingType: enumReader(['System', 'List']),
    };
    const { defaultConstraints = [], defaultingType = 'System' } = objectReader(fields)(value, path, causes) ?? {};
    const at = `${path}.defaultConstraints`;
    if (defaultingType === 'List') {
      return { ...args, spread: { builtIn: false, constraints: constraintsOf(defaultConstraints, at, causes) } };
    }
    if (defaultConstraints.length > 0) {
      causes.push(invalid(at, defaultConstraints, 'must be empty unless defaultingType is List'));
    }
    return args;
  },
  DefaultPreemption(value, path, causes, args) {
    const fields = {
      ...typed,
      minCandidateNodesPercentage: integerReader(0, 100),
      minCandidateNodesAbsolute: integerReader(0, 2 ** 31 - 1),
    };
    const { apiVersion: _version, kind: _kind, ...read } = objectReader(fields)(value, path, causes) ?? {};
    return { ...args, preemption: { ...args.preemption, ...read } };
  },
  VolumeBinding(value, path, causes, args) {
    const read = objectReader({ ...typed, bindTimeoutSeconds: integerReader(0, 2 ** 31 - 1) })(value, path, causes);
    return { ...args, bindTimeoutMs: (read?.bindTimeoutSeconds ?? 600) * 1000 };
  },
};

type ReadOf<R> = R extends Read<infer T> ? T : never;

function weightedResources(given: ReadOf<typeof resources> | undefined): readonly WeightedResource[] | undefined {
  return given?.map(({ name = '', weight = 1 }) => ({ name, weight }));
}

function checkShape(points: readonly ShapePoint[], path: string, causes: FieldError[]): void {
  if (points.length === 0) causes.push(required(path, 'at least one point must be specified'));
  points.forEach(({ utilization }, i) => {
    const before = points[i - 1]?.utilization;
    if (before !== undefined && utilization <= before) {
      const detail = 'utilization values must be sorted in increasing order';
      causes.push(invalid(`${index(path, i)}.utilization`, utilization, detail));
    }
  });
}

function constraintsOf(
  given: readonly { readonly topologyKey?: string; readonly maxSkew?: number; readonly whenUnsatisfiable?: string }[],
  path: string,
  causes: FieldError[],
): readonly SpreadConstraintSpec[] {
  return given.flatMap(({ topologyKey, maxSkew, whenUnsatisfiable }, i) => {
    for (const [field, value] of Object.entries({ topologyKey, maxSkew, whenUnsatisfiable })) {
      if (value === undefined) causes.push(required(`${index(path, i)}.${field}`));
    }
    if (topologyKey === undefined || maxSkew === undefined || whenUnsatisfiable === undefined) return [];
    return [
      { topologyKey, maxSkew, whenUnsatisfiable: whenUnsatisfiable as SpreadConstraintSpec['whenUnsatisfiable'] },
    ];
  });
}
