import type { NewObject } from '#platform/kube/client';
import { JOBS, type Job } from '#platform/kube/kinds/batch';
import type { Container, Pod } from '#platform/kube/kinds/pod';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { podFromTemplate } from '../replicas/pod-from-template.ts';

/** Finalizer that keeps a finished pod until it is counted. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';
/** Number of characters of a pod name that the random suffix of the API server leaves. */
const MAX_NAME = 57;

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING) === true;

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX];
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** Number of failures of an index: those that count toward its limit, and those that the failure policy ignores. */
export interface IndexFailures {
  readonly counted: number;
  readonly ignored: number;
}

/** Returns how often the index of a pod had failed when the pod was created. */
export function indexFailures({ metadata }: Pod): IndexFailures {
  const annotated = (name: string) => Number(metadata.annotations?.[name] ?? 0) || 0;
  return { counted: annotated(INDEX_FAILURES), ignored: annotated(IGNORED_FAILURES) };
}

/** Builds a pod of a Job, for an index if the Job is Indexed. */
export function jobPod(job: Job, index: number | undefined, failures: IndexFailures): NewObject<Pod> {
  const { template, backoffLimitPerIndex } = job.spec;
  const { metadata } = podFromTemplate(template, job, controllerRef(JOBS, job));
  const finalizers = [...(metadata.finalizers ?? []).filter((each) => each !== TRACKING), TRACKING];
  if (index === undefined) return { metadata: { ...metadata, finalizers }, spec: template.spec };
  const counts = backoffLimitPerIndex === undefined ? {} : failureAnnotations(failures);
  const name = job.metadata.name ?? '';
  return {
    metadata: {
      ...metadata,
      finalizers,
      generateName: `${name.slice(0, MAX_NAME - `-${index}-`.length)}-${index}-`,
      labels: { ...metadata.labels, [INDEX]: String(index) },
      annotations: { ...metadata.annotations, [INDEX]: String(index), ...counts },
    },
    spec: {
      ...template.spec,
      containers: template.spec.containers.map(withIndex),
      ...(template.spec.initContainers === undefined
        ? {}
        : { initContainers: template.spec.initContainers.map(withIndex) }),
      ...(template.spec['hostname'] === undefined ? { hostname: `${name}-${index}` } : {}),
    },
  };
}

function failureAnnotations({ counted, ignored }: IndexFailures): Record<string, string> {
  return { [INDEX_FAILURES]: String(counted), ...(ignored === 0 ? {} : { [IGNORED_FAILURES]: String(ignored) }) };
}

/** Tells a container its index, unless the template sets the variable itself. */
function withIndex(container: Container): Container {
  const { env = [] } = container as { readonly env?: readonly { readonly name: string }[] };
  if (env.some(({ name }) => name === 'JOB_COMPLETION_INDEX')) return container;
  const fieldRef = { fieldPath: `metadata.labels['${INDEX}']` };
  return { ...container, env: [...env, { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef } }] } as Container;
}
