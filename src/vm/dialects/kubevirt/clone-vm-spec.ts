import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import type { CloneOptions } from '#vm/engine/dialect';

type Spec = VirtualMachine['spec'];
type InstanceSpec = Spec['template']['spec'];

/** Returns the spec of a clone with other addresses, serial numbers and disks. */
export function cloneVmSpec({ spec }: VirtualMachine, { start, claims }: CloneOptions): object {
  const {
    running: _running,
    runStrategy,
    dataVolumeTemplates: _made,
    ...rest
  } = spec as Spec & {
    readonly dataVolumeTemplates?: unknown;
  };
  return {
    ...rest,
    ...power(runStrategy, start),
    template: { ...spec.template, spec: withoutIdentity(withClaims(spec.template.spec, claims)) },
  };
}

/** Returns the power state of a clone. A Halted or Manual VM that should start gets Always. */
function power(runStrategy: Spec['runStrategy'], start: boolean): object {
  if (runStrategy === undefined) return { running: start };
  if (start) return { runStrategy: runStrategy === 'Halted' || runStrategy === 'Manual' ? 'Always' : runStrategy };
  return { runStrategy: runStrategy === 'Manual' ? 'Manual' : 'Halted' };
}

function withClaims(spec: InstanceSpec, claims: CloneOptions['claims']): InstanceSpec {
  if (spec.volumes === undefined) return spec;
  const volumes = spec.volumes.map((volume) => {
    const claimName = claims.get(volume.name);
    if (claimName === undefined) return volume;
    const { dataVolume: _made, ...others } = volume;
    return { ...others, persistentVolumeClaim: { ...volume.persistentVolumeClaim, claimName } };
  });
  return { ...spec, volumes };
}

function withoutIdentity(spec: InstanceSpec): InstanceSpec {
  const { devices, firmware, ...domain } = spec.domain;
  const { uuid: _uuid, serial: _serial, ...kept } = (firmware ?? {}) as Record<string, unknown>;
  const { interfaces, ...others } = devices;
  const cards = interfaces?.map(({ macAddress: _mac, ...iface }) => iface);
  return {
    ...spec,
    domain: {
      ...domain,
      ...(Object.keys(kept).length === 0 ? {} : { firmware: kept }),
      devices: { ...others, ...(cards === undefined ? {} : { interfaces: cards }) },
    },
  };
}
