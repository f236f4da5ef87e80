import { mergeBySchema } from '#platform/schema/merge-by-schema';
import type { Disk } from './disk.ts';
import type { Network } from './network.ts';
import { withFeatures } from './required-features.ts';
import type { VirtualMachine } from './virtual-machine.ts';
import { virtualMachineSpec } from './virtual-machine-spec.ts';
import type { VMTemplate } from './vm-template.ts';

type MachineSpec = VirtualMachine['spec'];
type TemplateSpec = VMTemplate['spec'];
type Defaults = NonNullable<TemplateSpec['defaultSpec']>;
type TemplateDisk = NonNullable<Defaults['disks']>[number];

/** Where nobody says anything of disks, the image is on one of this name. */
const ROOT: TemplateDisk = { name: 'root' };

/** What a disk gets whose size neither machine nor template says. */
export const DEFAULT_DISK_SIZE = '10Gi';

/**
 * A machine with all that its template gives it; it names no template any more. What stands in the machine counts,
 * field by field, and the template gives what does not. Disks, networks and USB devices are merged by name, those of the
 * template first; there, a value that is only the default gives way to the template's.
 */
export function withTemplateDefaults(own: MachineSpec, template: TemplateSpec): MachineSpec {
  const { image, defaultSpec = {}, requiredFeatures = [] } = template;
  const disks = defaultSpec.disks ?? (own.disks === undefined ? [ROOT] : []);
  const base = {
    ...defaultSpec,
    disks: withoutTakenPlaces(withDiskSizes(disks, template), own.disks),
    networks: withoutSecondPodNetwork(defaultSpec.networks, own.networks),
    cloudInit: cloudInitUnder(own.cloudInit, defaultSpec.cloudInit, template.cloudInit),
    image: undefined,
  };
  const { image: _own, ...machine } = own;
  const spec = mergeBySchema(virtualMachineSpec.json, machine, base) as MachineSpec;
  const affinity = withFeatures(spec.affinity, requiredFeatures);
  return {
    ...spec,
    image: { source: image.source, ...(image.checksum === undefined ? {} : { checksum: image.checksum }) },
    ...(affinity === undefined ? {} : { affinity }),
  };
}

/** The first disk is as large as the image and the advice of the template ask for, where it says nothing itself. */
function withDiskSizes(
  disks: readonly TemplateDisk[],
  { image, recommendedResources }: TemplateSpec,
): readonly TemplateDisk[] {
  const first = image.size ?? recommendedResources?.minDiskSize ?? DEFAULT_DISK_SIZE;
  return disks.map((disk, i) => ({ size: i === 0 ? first : DEFAULT_DISK_SIZE, ...disk }));
}

/** A place in the boot sequence that a disk of the machine has is not the template's to give to another. */
function withoutTakenPlaces(disks: readonly TemplateDisk[], own: readonly Disk[] = []) {
  return disks.map((disk) => {
    const { bootOrder, ...rest } = disk;
    const isTaken = own.some((each) => each.bootOrder === bootOrder && each.name !== disk.name);
    return bootOrder !== undefined && isTaken ? rest : disk;
  });
}

const POD_NETWORK = 'pod-network';

/**
 * A machine has one interface on the pod network: the template's goes where the machine has its own by another name.
 * Hardware addresses are nothing to share.
 */
function withoutSecondPodNetwork(networks: Defaults['networks'], own: readonly Network[] = []) {
  if (networks === undefined) return undefined;
  const types = new Map(networks.map(({ name, type = POD_NETWORK }) => [name, type]));
  const holder = own.find(({ name, type }) => type === POD_NETWORK && (types.get(name) ?? type) === POD_NETWORK);
  return networks
    .filter(({ name, type = POD_NETWORK }) => type !== POD_NETWORK || name === (holder?.name ?? name))
    .map((network) => {
      const { macAddress: _, ...shared } = network;
      return shared;
    });
}

/** Inline text and a secret exclude each other: what the machine brings of either keeps the other of the template away. */
function cloudInitUnder(own: MachineSpec['cloudInit'], given: Defaults['cloudInit'], usual: TemplateSpec['cloudInit']) {
  if (own?.secretRef !== undefined) return undefined;
  const hasText = own?.userData !== undefined || own?.networkData !== undefined;
  if (given?.secretRef !== undefined && !hasText) return { secretRef: given.secretRef };
  const userData = given?.userData ?? usual?.defaultUserData;
  const networkData = given?.networkData ?? usual?.defaultNetworkData;
  if (userData === undefined && networkData === undefined) return undefined;
  return { ...(userData === undefined ? {} : { userData }), ...(networkData === undefined ? {} : { networkData }) };
}
