import { type ClaimedDisk, claimWords, type DiskOrigin } from '../disk/claimed-disk.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** Labels and annotations of claims. Each disk of a VM is a PersistentVolumeClaim. */
export const CLAIM_WORDS = claimWords('novacron.io');

/** Disk that contains the image. */
export const ROOT_DISK = 'root';

/** Default size, since the size of an image is known only after a download. */
const DEFAULT_ROOT_SIZE = '10Gi';

/** Returns the claim of a disk. As with the instance of the VM, no VM of another group has the same name. */
export function claimName(machine: string, disk: string): string {
  return `${machine}.novacron-${disk}`;
}

type Spec = VirtualMachine['spec'];

/** Returns the disks of a VM, starting with the one that contains its image. */
export function claimedDisks(machine: string, { template }: Pick<Spec, 'template'>): ClaimedDisk[] {
  const { resources, image, volumes = [] } = template.spec;
  const root: ClaimedDisk = {
    disk: { name: ROOT_DISK, size: resources.disk ?? DEFAULT_ROOT_SIZE },
    claim: claimName(machine, ROOT_DISK),
    ...(image === undefined ? {} : { origin: originOf(image.source) }),
    originField: 'spec.template.spec.image.source',
    ...(resources.disk === undefined ? { anySize: true } : {}),
  };
  return [
    root,
    ...volumes.map(
      ({ accessMode, ...disk }, i): ClaimedDisk => ({
        disk,
        claim: claimName(machine, disk.name),
        originField: `spec.template.spec.volumes[${i}]`,
        accessMode,
      }),
    ),
  ];
}

function originOf(source: string): DiskOrigin {
  const { claim } = claimIn(source) ?? {};
  return claim === undefined ? { image: source } : { claim };
}

/** Returns the claim that an image is a copy of, if it is one. */
export function claimIn(source: string): { readonly namespace: string; readonly claim: string } | undefined {
  const [, namespace, claim] = /^pvc:\/\/([a-z0-9-]+)\/([^/]+)$/.exec(source) ?? [];
  return namespace === undefined || claim === undefined ? undefined : { namespace, claim };
}
