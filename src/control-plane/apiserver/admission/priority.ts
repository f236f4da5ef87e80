import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import type { Pod } from '../kinds/pod/pod-spec.ts';
import { admissionDenial } from './denial.ts';
import { isPods } from './pod-write.ts';
import type { StoredObjects } from './stored-objects.ts';

interface PriorityClass extends KubeObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

const PREEMPT = 'PreemptLowerPriority';

/** Resolves the name of a priority class to the number that the scheduler compares. */
export function priorityAdmission(classes: StoredObjects): AdmissionPlugin {
  return {
    name: 'Priority',
    mutate(write) {
      if (write.subresource !== '' || !isPods(write)) return undefined;
      if (write.operation === 'CREATE') assign(write, write.object as Pod, classes);
      if (write.operation === 'UPDATE') keep(write.object as Pod, write.old as Pod);
      return undefined;
    },
    validate(write) {
      const { group, plural } = write.resource;
      if (plural !== 'priorityclasses' || group !== 'scheduling.k8s.io') return;
      if (write.operation === 'DELETE') rejectSystemClass(write);
      else rejectSecondDefault(write, classes);
    },
  };
}

function assign(write: AdmissionAttributes, { spec }: Pod, classes: StoredObjects): void {
  const { priorityClassName = '' } = spec;
  const chosen: PriorityClass | undefined =
    priorityClassName === '' ? defaultClass(classes) : classes.get('', priorityClassName);
  if (chosen === undefined && priorityClassName !== '') {
    throw admissionDenial(write, `no PriorityClass with name ${priorityClassName} was found`);
  }
  const { value = 0, preemptionPolicy = PREEMPT } = chosen ?? {};
  if (spec.priority !== undefined && spec.priority !== value) {
    throw admissionDenial(write, differs(`integer value of priority (${spec.priority})`, value));
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw admissionDenial(
      write,
      differs(`string value of PreemptionPolicy (${spec.preemptionPolicy})`, preemptionPolicy),
    );
  }
  if (chosen !== undefined) spec.priorityClassName = chosen.metadata.name ?? '';
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

function differs(given: string, computed: string | number): string {
  return `the ${given} must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
}

/** Retains the priority that a pod was created with, so that a writer need not repeat it. */
function keep({ spec }: Pod, { spec: old }: Pod): void {
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
  }
}

/** Returns the default class. There should be one, and of several the lowest does the least harm. */
function defaultClass(classes: StoredObjects): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const object of classes) {
    const each = object as PriorityClass;
    if (each.globalDefault === true && (lowest === undefined || (each.value ?? 0) < (lowest.value ?? 0))) lowest = each;
  }
  return lowest;
}

function rejectSecondDefault(write: AdmissionAttributes, classes: StoredObjects): void {
  const { globalDefault, metadata } = write.object as PriorityClass;
  const present = globalDefault === true ? defaultClass(classes)?.metadata.name : undefined;
  if (present === undefined || (write.operation === 'UPDATE' && present === metadata.name)) return;
  throw admissionDenial(write, `PriorityClass ${present} is already marked as default. Only one default can exist`);
}

const SYSTEM_CLASSES = new Set(['system-cluster-critical', 'system-node-critical']);

function rejectSystemClass(write: AdmissionAttributes): void {
  if (SYSTEM_CLASSES.has(write.name)) {
    throw admissionDenial(write, 'this is a system priority class and cannot be deleted');
  }
}
