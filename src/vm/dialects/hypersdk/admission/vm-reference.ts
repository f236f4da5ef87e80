import type { VMOperation } from '#api/hypersdk/vm-operation';
import type { FieldError } from '#platform/base/field-error';
import { label, subdomain } from '#vm/admission/names';

export type VMReference = VMOperation['spec']['vmRef'];

export function validateVMReference(field: string, { name, namespace }: VMReference): FieldError[] {
  return [...subdomain(`${field}.name`, name), ...label(`${field}.namespace`, namespace)];
}
