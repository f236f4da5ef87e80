import { goQuote } from '#platform/base/go-value';
import { jsonEqual } from '#platform/base/json-equal';
import { ownValue, setOwn } from '#platform/base/own-value';
import { compare, parseQuantity } from '#platform/base/quantity';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import type { PodSpec, Quantities, Toleration } from '../kinds/pod/pod-spec.ts';
import { type ObjectSource, readObject } from '../object-source.ts';
import { admissionDenial } from './denial.ts';
import { newPod } from './pod-write.ts';

interface RuntimeClass extends KubeObject {
  overhead?: { podFixed?: Quantities };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

/** Sets the overhead and the node constraints of a pod from its RuntimeClass. */
export function runtimeClassAdmission(source: ObjectSource): AdmissionPlugin {
  const classOf = (write: AdmissionAttributes, { runtimeClassName }: PodSpec): RuntimeClass | undefined => {
    if (runtimeClassName === undefined) return undefined;
    const found = readObject(source, 'node.k8s.io', 'v1', 'runtimeclasses', '', runtimeClassName);
    if (found !== undefined) return found;
    throw admissionDenial(write, `pod rejected: RuntimeClass ${goQuote(runtimeClassName)} not found`);
  };
  return {
    name: 'RuntimeClass',
    mutate(write) {
      const spec = newPod(write)?.spec;
      const chosen = spec === undefined ? undefined : classOf(write, spec);
      if (spec === undefined || chosen === undefined) return undefined;
      const overhead = chosen.overhead?.podFixed;
      if (overhead !== undefined) {
        if (spec.overhead !== undefined && !sameAmounts(spec.overhead, overhead))
          throw admissionDenial(write, OTHER_OVERHEAD);
        spec.overhead = { ...overhead };
      }
      if (chosen.scheduling !== undefined) place(write, spec, chosen.scheduling);
      return undefined;
    },
    validate(write) {
      const spec = newPod(write)?.spec;
      if (spec === undefined || (spec.runtimeClassName === undefined && spec.overhead === undefined)) return;
      const overhead = classOf(write, spec)?.overhead?.podFixed;
      if (overhead === undefined) {
        if (spec.overhead !== undefined) throw admissionDenial(write, NO_OVERHEAD);
      } else if (spec.overhead === undefined || !sameAmounts(spec.overhead, overhead)) {
        throw admissionDenial(write, OTHER_OVERHEAD);
      }
    },
  };
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const NO_OVERHEAD = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

function sameAmounts(a: Quantities, b: Quantities): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const other = ownValue(b, name);
      return other !== undefined && compare(parseQuantity(a[name] ?? ''), parseQuantity(other)) === 0;
    })
  );
}

function place(write: AdmissionAttributes, spec: PodSpec, scheduling: NonNullable<RuntimeClass['scheduling']>): void {
  const selector = { ...spec.nodeSelector };
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const given = ownValue(selector, key);
    if (given !== undefined && given !== value) {
      const what = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given}`;
      throw admissionDenial(write, `conflict: ${what}`);
    }
    setOwn(selector, key, value);
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const merged = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (merged.length > 0) spec.tolerations = merged;
}

/** Merges tolerations and drops those that another one includes. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    const later = all.slice(i + 1).filter((other) => !jsonEqual(other, toleration));
    if (![...merged, ...later].some((other) => includes(other, toleration))) merged.push(toleration);
  }
  return merged;
}

function includes(larger: Toleration, smaller: Toleration): boolean {
  if (jsonEqual(larger, smaller)) return true;
  const { key = '', operator = '', effect = '', tolerationSeconds } = larger;
  if ((smaller.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false;
  if ((smaller.effect ?? '') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && tolerationSeconds !== undefined) {
    if (smaller.tolerationSeconds === undefined || smaller.tolerationSeconds > tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  return (
    (operator === 'Equal' || operator === '') &&
    smaller.operator === 'Equal' &&
    (smaller.value ?? '') === (larger.value ?? '')
  );
}
