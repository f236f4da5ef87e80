import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { type FieldError, invalid } from '#platform/base/field-error';
import { isTimeZone } from '#platform/base/time-zone';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function validateFirmware({ domain }: InstanceSpec, path: string): FieldError[] {
  const { firmware, features, clock } = domain;
  const { uuid, bootloader } = firmware ?? {};
  const causes: FieldError[] = [];
  if (clock?.timezone !== undefined && !isTimeZone(clock.timezone)) {
    const detail = 'must be a time zone, such as Europe/Berlin';
    causes.push(invalid(`${path}.domain.clock.timezone`, clock.timezone, detail));
  }
  if (uuid !== undefined && !UUID.test(uuid)) {
    causes.push(
      invalid(`${path}.domain.firmware.uuid`, uuid, 'must be a UUID, such as 5d307ca9-b3ef-428c-8861-06e72d69f223'),
    );
  }
  const secureBoot = bootloader?.efi !== undefined && bootloader.efi.secureBoot !== false;
  const smm = features?.smm !== undefined && features.smm.enabled !== false;
  if (secureBoot && !smm) {
    const detail = 'SecureBoot requires SMM: enable domain.features.smm, or set secureBoot to false';
    causes.push(
      invalid(`${path}.domain.firmware.bootloader.efi.secureBoot`, bootloader.efi?.secureBoot ?? true, detail),
    );
  }
  return causes;
}
