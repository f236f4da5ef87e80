import type { KubeObject } from '../kube-object.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { KubeCondition } from './condition.ts';
import { resourceType } from './resource-type.ts';
import type { PodTemplate } from './workloads.ts';

/** Kinds whose pods run to completion. */

export interface PodFailureRule {
  readonly action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
}

export interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: string;
  readonly activeDeadlineSeconds?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend?: boolean;
  readonly managedBy?: string;
  readonly podReplacementPolicy?: string;
  readonly podFailurePolicy?: { readonly rules: readonly PodFailureRule[] };
  readonly successPolicy?: { readonly rules: readonly SuccessRule[] };
  readonly selector: LabelSelectorSpec;
  readonly template: PodTemplate;
}

export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
  readonly conditions?: readonly KubeCondition[];
}

export interface Job extends KubeObject {
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number;
    readonly concurrencyPolicy?: string;
    readonly suspend?: boolean;
    readonly jobTemplate: { readonly metadata?: KubeObject['metadata']; readonly spec: JobSpec };
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
  };
  readonly status?: {
    readonly active?: readonly { readonly name: string; readonly uid: string; readonly [field: string]: unknown }[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}

export const JOBS = resourceType<Job>('batch/v1', 'Job', 'jobs');
export const CRON_JOBS = resourceType<CronJob>('batch/v1', 'CronJob', 'cronjobs');

/** Returns the condition by which a Job has finished, undefined while it has not. */
export function finishedCondition({ status }: Job): KubeCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
}
