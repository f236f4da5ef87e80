import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { duplicate, type FieldError, required } from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { accessCredentialCauses } from './access-credentials.ts';
import { bootOrderCauses } from './boot-order.ts';
import { diskCauses } from './disks.ts';
import { firmwareCauses } from './firmware.ts';
import { interfaceCauses } from './interfaces.ts';
import { nameCauses } from './names.ts';
import { missingNetworks, networkCauses } from './networks.ts';
import { placementCauses } from './placement.ts';
import { probeCauses } from './probes.ts';
import { resourceCauses } from './resources.ts';
import { type VolumeOptions, volumeCauses } from './volumes.ts';

/** All that can be said of a machine by looking at its spec alone; `path` is where the spec stands. */
export function instanceSpecCauses(spec: InstanceSpec, path: string, options: VolumeOptions): FieldError[] {
  return [
    ...guestNameCauses(spec, path),
    ...resourceCauses(spec, path),
    ...firmwareCauses(spec, path),
    ...diskCauses(spec, path),
    ...volumeCauses(spec, path, options),
    ...networkCauses(spec, path),
    ...missingNetworks(spec, path),
    ...interfaceCauses(spec, path),
    ...bootOrderCauses(spec, path),
    ...gpuCauses(spec, path),
    ...probeCauses(spec, path),
    ...accessCredentialCauses(spec, path),
    ...placementCauses(spec, path),
  ];
}

function guestNameCauses({ hostname, subdomain }: InstanceSpec, path: string): FieldError[] {
  return [
    ...(hostname ? nameCauses(`${path}.hostname`, hostname, dns1123LabelProblems) : []),
    ...(subdomain ? nameCauses(`${path}.subdomain`, subdomain, dns1123SubdomainProblems) : []),
  ];
}

function gpuCauses({ domain }: InstanceSpec, path: string): FieldError[] {
  const names = new Set<string>();
  return (domain.devices.gpus ?? []).flatMap((gpu, i) => {
    const at = `${path}.domain.devices.gpus[${i}]`;
    const causes = names.has(gpu.name) ? [duplicate(`${at}.name`, gpu.name)] : [];
    names.add(gpu.name);
    if (!gpu.deviceName && !('claimName' in gpu)) causes.push(required(`${at}.deviceName`));
    return causes;
  });
}
