import { CPU, EPHEMERAL_STORAGE, isScalar, MEMORY } from '../pod/amounts.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

export const CPU_AND_MEMORY: readonly WeightedResource[] = [
  { name: CPU, weight: 1 },
  { name: MEMORY, weight: 1 },
];

/** One resource for scoring: allocatable and used amounts of nodes, and the amount that the pod would add. */
export interface ResourceFigures {
  readonly weight: number;
  readonly allocatable: Float64Array;
  readonly used: Float64Array;
  readonly requested: number;
}

/**
 * Returns the figures of the resources to score, without extended resources that the pod does not request. With
 * `nonZero`, CPU and memory have a small default for containers without requests.
 */
export function figuresOf(
  pod: PodInfo,
  { columns }: Snapshot,
  resources: readonly WeightedResource[],
  nonZero: boolean,
): readonly ResourceFigures[] {
  return resources.flatMap(({ name, weight }): readonly ResourceFigures[] => {
    switch (name) {
      case CPU:
        return nonZero
          ? [{ weight, allocatable: columns.allocatableCpu, used: columns.nonZeroCpu, requested: pod.nonZeroCpu }]
          : [{ weight, allocatable: columns.allocatableCpu, used: columns.cpu, requested: pod.cpu }];
      case MEMORY:
        return nonZero
          ? [
              {
                weight,
                allocatable: columns.allocatableMemory,
                used: columns.nonZeroMemory,
                requested: pod.nonZeroMemory,
              },
            ]
          : [{ weight, allocatable: columns.allocatableMemory, used: columns.memory, requested: pod.memory }];
      case EPHEMERAL_STORAGE:
        return [
          { weight, allocatable: columns.allocatableStorage, used: columns.storage, requested: pod.ephemeralStorage },
        ];
      default: {
        const requested = pod.scalars.find(([resource]) => resource === name)?.[1] ?? 0;
        const column = columns.scalars.get(name);
        if (!isScalar(name) || requested === 0 || column === undefined) return [];
        return [{ weight, allocatable: column.allocatable, used: column.requested, requested }];
      }
    }
  });
}
