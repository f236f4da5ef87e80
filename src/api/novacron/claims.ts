import { type ClaimedDisk, claimWords, type DiskOrigin } from '../disk/claimed-disk.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** How the disks of a machine are kept: one PersistentVolumeClaim each. */
export const CLAIM_WORDS = claimWords('novacron.io');

/** The disk that the image is put on. */
export const ROOT_DISK = 'root';

/** The size of an image is known only to whoever fetches it. */
const DEFAULT_ROOT_SIZE = '10Gi';

/** The claim behind a disk: as the instance of the machine, it is of this name for no machine of another group. */
export function claimName(machine: string, disk: string): string {
  return `${machine}.novacron-${disk}`;
}

type Spec = VirtualMachine['spec'];

/** The disks of a machine: the one with its image first. */
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

/** The claim that an image is a copy of, where it is one. */
export function claimIn(source: string): { readonly namespace: string; readonly claim: string } | undefined {
  const [, namespace, claim] = /^pvc:\/\/([a-z0-9-]+)\/([^/]+)$/.exec(source) ?? [];
  return namespace === undefined || claim === undefined ? undefined : { namespace, claim };
}
