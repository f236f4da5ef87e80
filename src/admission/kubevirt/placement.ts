import type { InstanceSpec } from '../../api/kubevirt/virtual-machine-instance.ts';
import { append } from '../../base/append.ts';
import { type FieldError, invalid, required } from '../../base/field-error.ts';
import { qualifiedNameProblems } from '../../base/names.ts';
import { labels } from '../names.ts';
import { checkAffinity, checkLabelSelector, checkTolerations } from '../placement.ts';
import { nameCauses } from './names.ts';

/** What Kubernetes would refuse in the pod that the machine runs in. */
export function placementCauses(spec: InstanceSpec, path: string): FieldError[] {
  return [
    ...labels(`${path}.nodeSelector`, spec.nodeSelector),
    ...checkTolerations(`${path}.tolerations`, spec.tolerations),
    ...checkAffinity(`${path}.affinity`, spec.affinity),
    ...spreadCauses(spec, `${path}.topologySpreadConstraints`),
  ];
}

function spreadCauses({ topologySpreadConstraints = [] }: InstanceSpec, path: string): FieldError[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, minDomains, whenUnsatisfiable, labelSelector }, i) => {
    const at = `${path}[${i}]`;
    const causes =
      topologyKey === ''
        ? [required(`${at}.topologyKey`, 'can not be empty')]
        : nameCauses(`${at}.topologyKey`, topologyKey, qualifiedNameProblems);
    append(causes, checkLabelSelector(`${at}.labelSelector`, labelSelector));
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
      const detail = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not 'ScheduleAnyway'";
      causes.push(invalid(`${at}.minDomains`, minDomains, detail));
    }
    return causes;
  });
}
