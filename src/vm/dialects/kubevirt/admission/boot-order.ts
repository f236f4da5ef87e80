import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { duplicate, type FieldError } from '#platform/base/field-error';

/** Validates the boot order, which disks and interfaces share. */
export function validateBootOrder({ domain }: InstanceSpec, path: string): FieldError[] {
  const { disks = [], interfaces = [] } = domain.devices;
  const causes: FieldError[] = [];
  const taken = new Set<number>();
  const check = (list: string, devices: readonly { readonly bootOrder?: number }[]): void => {
    for (const [i, { bootOrder }] of devices.entries()) {
      if (bootOrder === undefined) continue;
      if (taken.has(bootOrder)) causes.push(duplicate(`${path}.domain.devices.${list}[${i}].bootOrder`, bootOrder));
      taken.add(bootOrder);
    }
  };
  check('disks', disks);
  check('interfaces', interfaces);
  return causes;
}
