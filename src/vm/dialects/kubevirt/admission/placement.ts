import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { type FieldError, invalid, required } from '#platform/base/field-error';
import { qualifiedNameProblems } from '#platform/base/names';
import { labels } from '#vm/admission/names';
import { validateAffinity, validateLabelSelector, validateTolerations } from '#vm/admission/placement';
import { validateName } from './names.ts';

/** Validates what Kubernetes would reject in the pod of the VM. */
export function validatePlacement(spec: InstanceSpec, path: string): FieldError[] {
  return [
    ...labels(`${path}.nodeSelector`, spec.nodeSelector),
    ...validateTolerations(`${path}.tolerations`, spec.tolerations),
    ...validateAffinity(`${path}.affinity`, spec.affinity),
    ...validateSpread(spec, `${path}.topologySpreadConstraints`),
  ];
}

function validateSpread({ topologySpreadConstraints = [] }: InstanceSpec, path: string): FieldError[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, minDomains, whenUnsatisfiable, labelSelector }, i) => {
    const at = `${path}[${i}]`;
    const causes =
      topologyKey === ''
        ? [required(`${at}.topologyKey`, 'can not be empty')]
        : validateName(`${at}.topologyKey`, topologyKey, qualifiedNameProblems);
    append(causes, validateLabelSelector(`${at}.labelSelector`, labelSelector));
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
      const detail = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not 'ScheduleAnyway'";
      causes.push(invalid(`${at}.minDomains`, minDomains, detail));
    }
    return causes;
  });
}
