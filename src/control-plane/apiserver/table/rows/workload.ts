import { humanDuration } from '#platform/base/duration';
import type { LabelSelectorSpec } from '#platform/kube/selectors/label-selector';
import {
  ageOf,
  type Cell,
  type Condition,
  containerCells,
  formatLabels,
  formatSelector,
  type Listed,
  type ListedPodTemplate,
  nameOf,
  since,
} from '../cell.ts';

interface Replicated<Selector> extends Listed {
  readonly spec?: { readonly replicas?: number; readonly selector?: Selector; readonly template?: ListedPodTemplate };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

export function deploymentRow(object: Replicated<LabelSelectorSpec>, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  return [
    nameOf(object),
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    ageOf(object, now),
    ...containerCells(spec.template?.spec?.containers),
    formatSelector(spec.selector, '<invalid>', ''),
  ];
}

export function replicaSetRow(object: Replicated<LabelSelectorSpec>, now: number): Cell[] {
  return [...replicaCells(object, now), formatSelector(object.spec?.selector)];
}

export function replicationControllerRow(object: Replicated<Record<string, string>>, now: number): Cell[] {
  return [...replicaCells(object, now), formatLabels(object.spec?.selector)];
}

function replicaCells(object: Replicated<unknown>, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  const counts = [spec.replicas ?? 0, status.replicas ?? 0, status.readyReplicas ?? 0];
  return [nameOf(object), ...counts, ageOf(object, now), ...containerCells(spec.template?.spec?.containers)];
}

export function statefulSetRow(object: Replicated<unknown>, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  const ready = `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`;
  return [nameOf(object), ready, ageOf(object, now), ...containerCells(spec.template?.spec?.containers)];
}

interface DaemonSet extends Listed {
  readonly spec?: { readonly selector?: LabelSelectorSpec; readonly template?: ListedPodTemplate };
  readonly status?: {
    readonly desiredNumberScheduled?: number;
    readonly currentNumberScheduled?: number;
    readonly numberReady?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
  };
}

export function daemonSetRow(object: DaemonSet, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  return [
    nameOf(object),
    status.desiredNumberScheduled ?? 0,
    status.currentNumberScheduled ?? 0,
    status.numberReady ?? 0,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    formatLabels(spec.template?.spec?.nodeSelector),
    ageOf(object, now),
    ...containerCells(spec.template?.spec?.containers),
    formatSelector(spec.selector),
  ];
}

interface JobSpec {
  readonly completions?: number;
  readonly parallelism?: number;
  readonly selector?: LabelSelectorSpec;
  readonly template?: ListedPodTemplate;
}

interface Job extends Listed {
  readonly spec?: JobSpec;
  readonly status?: {
    readonly succeeded?: number;
    readonly startTime?: string | null;
    readonly completionTime?: string | null;
    readonly conditions?: readonly Condition[];
  };
}

export function jobRow(object: Job, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  const started = status.startTime ? Date.parse(status.startTime) : undefined;
  const ended = status.completionTime ? Date.parse(status.completionTime) : now;
  return [
    nameOf(object),
    jobStatus(object),
    completions(spec, status.succeeded ?? 0),
    started === undefined ? '' : humanDuration(ended - started),
    ageOf(object, now),
    ...containerCells(spec.template?.spec?.containers),
    formatSelector(spec.selector),
  ];
}

function jobStatus({ metadata, status }: Job): string {
  const is = (type: string) => status?.conditions?.find((item) => item.type === type)?.status === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (metadata?.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function completions(spec: JobSpec, succeeded: number): string {
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

interface CronJob extends Listed {
  readonly spec?: {
    readonly schedule?: string;
    readonly timeZone?: string;
    readonly suspend?: boolean;
    readonly jobTemplate?: { readonly spec?: JobSpec };
  };
  readonly status?: { readonly active?: readonly unknown[]; readonly lastScheduleTime?: string | null };
}

export function cronJobRow(object: CronJob, now: number): Cell[] {
  const { spec = {}, status = {} } = object;
  const job = spec.jobTemplate?.spec;
  return [
    nameOf(object),
    spec.schedule ?? '',
    spec.timeZone ?? '<none>',
    spec.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
    status.active?.length ?? 0,
    status.lastScheduleTime ? since(status.lastScheduleTime, now) : '<none>',
    ageOf(object, now),
    ...containerCells(job?.template?.spec?.containers),
    formatSelector(job?.selector),
  ];
}

interface ControllerRevision extends Listed {
  readonly metadata?: NonNullable<Listed['metadata']> & {
    readonly ownerReferences?: readonly {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly controller?: boolean;
    }[];
  };
  readonly revision?: number;
}

export function controllerRevisionRow(object: ControllerRevision, now: number): Cell[] {
  return [nameOf(object), controllerName(object), object.revision ?? 0, ageOf(object, now)];
}

function controllerName({ metadata }: ControllerRevision): string {
  const owner = metadata?.ownerReferences?.find((item) => item.controller === true);
  if (owner === undefined) return '<none>';
  const { apiVersion = '', kind = '', name = '' } = owner;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const qualified = group === '' ? kind : `${kind}.${group}`;
  return qualified === '' ? name : `${qualified.toLowerCase()}/${name}`;
}

interface DisruptionBudget extends Listed {
  readonly spec?: { readonly minAvailable?: string | number; readonly maxUnavailable?: string | number };
  readonly status?: { readonly disruptionsAllowed?: number };
}

export function podDisruptionBudgetRow(object: DisruptionBudget, now: number): Cell[] {
  const { minAvailable = 'N/A', maxUnavailable = 'N/A' } = object.spec ?? {};
  const allowed = object.status?.disruptionsAllowed ?? 0;
  return [nameOf(object), String(minAvailable), String(maxUnavailable), allowed, ageOf(object, now)];
}
