import type { InstanceSpec } from '../../api/kubevirt/virtual-machine-instance.ts';
import { type FieldError, invalid } from '../../base/field-error.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../base/names.ts';
import { nameCauses } from './names.ts';

type Toleration = NonNullable<InstanceSpec['tolerations']>[number];

/** What Kubernetes would refuse in the tolerations of the pod. */
export function tolerationCauses({ tolerations = [] }: InstanceSpec, path: string): FieldError[] {
  return tolerations.flatMap((toleration, i) => oneTolerationCauses(toleration, `${path}.tolerations[${i}]`));
}

function oneTolerationCauses(toleration: Toleration, at: string): FieldError[] {
  const { key = '', operator = 'Equal', value = '', effect, tolerationSeconds } = toleration;
  const causes = key === '' ? [] : nameCauses(`${at}.key`, key, qualifiedNameProblems);
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    causes.push(invalid(`${at}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    causes.push(invalid(`${at}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  return [...causes, ...valueCauses(`${at}.value`, operator, value)];
}

function valueCauses(field: string, operator: NonNullable<Toleration['operator']>, value: string): FieldError[] {
  if (operator === 'Equal') return nameCauses(field, value, labelValueProblems);
  if (operator === 'Exists') {
    return value === '' ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
  }
  return /^-?[0-9]+$/.test(value)
    ? []
    : [invalid(field, value, `value must be an integer when operator is '${operator}'`)];
}
