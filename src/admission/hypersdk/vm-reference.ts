import type { VMOperation } from '../../api/hypersdk/vm-operation.ts';
import type { FieldError } from '../../base/field-error.ts';
import { label, subdomain } from '../names.ts';

export type VMReference = VMOperation['spec']['vmRef'];

export function checkVMReference(field: string, { name, namespace }: VMReference): FieldError[] {
  return [...subdomain(`${field}.name`, name), ...label(`${field}.namespace`, namespace)];
}
