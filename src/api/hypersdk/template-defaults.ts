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

/** Disk for the image if neither VM nor template defines disks. */
const ROOT: TemplateDisk = { name: 'root' };

/** Size of a disk if neither VM nor template sets one. */
export const DEFAULT_DISK_SIZE = '10Gi';

/**
 * Returns a VM with the defaults of its template, and without the reference to it. Fields of the VM win over those of
 * the template. Disks, networks and USB devices are merged by name, the template's first; there, a value that is only a
 * default gives way to the template's.
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

/** Sizes the first disk by the image and the recommendation of the template, if it has no size itself. */
function withDiskSizes(
  disks: readonly TemplateDisk[],
  { image, recommendedResources }: TemplateSpec,
): readonly TemplateDisk[] {
  const first = image.size ?? recommendedResources?.minDiskSize ?? DEFAULT_DISK_SIZE;
  return disks.map((disk, i) => ({ size: i === 0 ? first : DEFAULT_DISK_SIZE, ...disk }));
}

/** Drops boot orders of the template's disks that a disk of the VM already has. */
function withoutTakenPlaces(disks: readonly TemplateDisk[], own: readonly Disk[] = []) {
  return disks.map((disk) => {
    const { bootOrder, ...rest } = disk;
    const isTaken = own.some((each) => each.bootOrder === bootOrder && each.name !== disk.name);
    return bootOrder !== undefined && isTaken ? rest : disk;
  });
}

const POD_NETWORK = 'pod-network';

/**
 * Drops the template's pod network if the VM has its own under another name, since a VM has one interface on it. MAC
 * addresses are never shared.
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

/**
 * Merges cloud-init. Inline text and a secret exclude each other, so that either of the VM's displaces the other of the
 * template.
 */
function cloudInitUnder(
  own: MachineSpec['cloudInit'],
  given: Defaults['cloudInit'],
  fallback: TemplateSpec['cloudInit'],
) {
  if (own?.secretRef !== undefined) return undefined;
  const hasText = own?.userData !== undefined || own?.networkData !== undefined;
  if (given?.secretRef !== undefined && !hasText) return { secretRef: given.secretRef };
  const userData = given?.userData ?? fallback?.defaultUserData;
  const networkData = given?.networkData ?? fallback?.defaultNetworkData;
  if (userData === undefined && networkData === undefined) return undefined;
  return { ...(userData === undefined ? {} : { userData }), ...(networkData === undefined ? {} : { networkData }) };
}
