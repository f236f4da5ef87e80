import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { duplicate, type FieldError, required } from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { validateAccessCredential } from './access-credentials.ts';
import { validateBootOrder } from './boot-order.ts';
import { validateDisk } from './disks.ts';
import { validateFirmware } from './firmware.ts';
import { validateInterface } from './interfaces.ts';
import { validateName } from './names.ts';
import { missingNetworks, validateNetwork } from './networks.ts';
import { validatePlacement } from './placement.ts';
import { validateProbe } from './probes.ts';
import { validateResource } from './resources.ts';
import { type VolumeOptions, validateVolume } from './volumes.ts';

/** Validates everything that depends on the instance spec alone. `path` is the path of the spec. */
export function validateInstanceSpec(spec: InstanceSpec, path: string, options: VolumeOptions): FieldError[] {
  return [
    ...validateGuestName(spec, path),
    ...validateResource(spec, path),
    ...validateFirmware(spec, path),
    ...validateDisk(spec, path),
    ...validateVolume(spec, path, options),
    ...validateNetwork(spec, path),
    ...missingNetworks(spec, path),
    ...validateInterface(spec, path),
    ...validateBootOrder(spec, path),
    ...validateGpu(spec, path),
    ...validateProbe(spec, path),
    ...validateAccessCredential(spec, path),
    ...validatePlacement(spec, path),
  ];
}

function validateGuestName({ hostname, subdomain }: InstanceSpec, path: string): FieldError[] {
  return [
    ...(hostname ? validateName(`${path}.hostname`, hostname, dns1123LabelProblems) : []),
    ...(subdomain ? validateName(`${path}.subdomain`, subdomain, dns1123SubdomainProblems) : []),
  ];
}

function validateGpu({ domain }: InstanceSpec, path: string): FieldError[] {
  const names = new Set<string>();
  return (domain.devices.gpus ?? []).flatMap((gpu, i) => {
    const at = `${path}.domain.devices.gpus[${i}]`;
    const causes = names.has(gpu.name) ? [duplicate(`${at}.name`, gpu.name)] : [];
    names.add(gpu.name);
    if (!gpu.deviceName && !('claimName' in gpu)) causes.push(required(`${at}.deviceName`));
    return causes;
  });
}
