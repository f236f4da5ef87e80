import type { NewObject } from '#platform/kube/client';
import { JOBS, type Job } from '#platform/kube/kinds/batch';
import type { Container, Pod } from '#platform/kube/kinds/pod';
import { controllerRef } from '../replicas/claim-objects.ts';
import { podFromTemplate } from '../replicas/pod-from-template.ts';

/** Finalizer that keeps a finished pod until it is counted. */
export const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
/** Number of characters of a pod name that the random suffix of the API server leaves. */
const MAX_NAME = 57;

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING) === true;

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX];
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** Returns how often the index of a pod had failed when the pod was created. */
export const failuresBefore = ({ metadata }: Pod): number => Number(metadata.annotations?.[INDEX_FAILURES] ?? 0) || 0;

/** Builds a pod of a Job, for an index if the Job is Indexed. */
export function jobPod(job: Job, index: number | undefined, failures: number): NewObject<Pod> {
  const { template, backoffLimitPerIndex } = job.spec;
  const { metadata } = podFromTemplate(template, job, controllerRef(JOBS, job));
  const finalizers = [...(metadata.finalizers ?? []).filter((each) => each !== TRACKING), TRACKING];
  if (index === undefined) return { metadata: { ...metadata, finalizers }, spec: template.spec };
  const counted = backoffLimitPerIndex === undefined ? {} : { [INDEX_FAILURES]: String(failures) };
  const name = job.metadata.name ?? '';
  return {
    metadata: {
      ...metadata,
      finalizers,
      generateName: `${name.slice(0, MAX_NAME - `-${index}-`.length)}-${index}-`,
      labels: { ...metadata.labels, [INDEX]: String(index) },
      annotations: { ...metadata.annotations, [INDEX]: String(index), ...counted },
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

/** Tells a container its index, unless the template sets the variable itself. */
function withIndex(container: Container): Container {
  const { env = [] } = container as { readonly env?: readonly { readonly name: string }[] };
  if (env.some(({ name }) => name === 'JOB_COMPLETION_INDEX')) return container;
  const fieldRef = { fieldPath: `metadata.labels['${INDEX}']` };
  return { ...container, env: [...env, { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef } }] } as Container;
}
