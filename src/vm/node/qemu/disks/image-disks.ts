import { ImageError } from '#vm/image-store/image-error';
import { assertRoom } from '#vm/image-store/image-limits';
import type { ImageRequest } from '#vm/image-store/image-request';
import { type BaseImage, ImagePullingError, type ImageSecrets, type ImageStore } from '#vm/image-store/image-store';
import type { ClaimInfo, ClaimReader } from '../../claim-reader.ts';
import { MachinePreparingError, MachineStartError } from '../../machine-driver.ts';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import type { PreparedDisk } from '../command/qemu-host.ts';
import type { ClaimFiles } from './claim-files.ts';
import { hostDiskFile } from './host-disks.ts';
import { claimImage, claimNameOf, containerDiskImage } from './image-requests.ts';

export interface ImageDisksDeps {
  readonly store: Pick<ImageStore, 'require'>;
  /** Secrets that the machines of the node may use. */
  readonly secrets: ImageSecrets;
  readonly claims: ClaimReader;
  readonly files: ClaimFiles;
  /** Directories of the host whose files VMs may use as disks. */
  readonly hostDirectories: readonly string[];
  /** Returns the bytes that can be written to the disk of the host. */
  readonly availableBytes: () => Promise<number>;
}

/** Fills disks with images, and keeps those of claims. */
export class ImageDisks {
  readonly #deps: ImageDisksDeps;

  constructor(deps: ImageDisksDeps) {
    this.#deps = deps;
  }

  /** Checks that everything is there that the disks of a machine need, and fills its claims. Throws if not. */
  async require(spec: MachineSpec): Promise<void> {
    await this.#assertRoom();
    // Images are requested together, so that they are fetched together.
    const results = await Promise.allSettled(spec.disks.map((disk) => this.#requireDisk(disk, spec)));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    const failure = failures.find((error) => !(error instanceof MachinePreparingError)) ?? failures[0];
    if (failure !== undefined) throw failure;
  }

  /** Returns the image of a containerDisk. */
  async baseOf(disk: MachineDisk, spec: MachineSpec): Promise<BaseImage> {
    const request = containerDiskImage(disk, spec);
    if (request === undefined) throw new RangeError(`disk ${disk.name} has no image`);
    return await this.#require(request);
  }

  /** Links a disk that outlives its machine into the machine directory. Undefined for other volumes. */
  async linkKept(
    disk: MachineDisk,
    at: number,
    { spec, directory }: { readonly spec: MachineSpec; readonly directory: string },
  ): Promise<PreparedDisk | undefined> {
    const { name, volume } = disk;
    if (volume.hostDisk !== undefined) {
      const file = await hostDiskFile(volume.hostDisk, this.#deps.hostDirectories);
      return { name, file, format: 'raw', readonly: disk.readonly };
    }
    const claim = await this.#claimOf(disk, spec);
    if (claim === undefined) return undefined;
    const file = `disk${at}.raw`;
    await this.#deps.files.linkInto(directory, claim, file);
    const readonly = disk.readonly || volume.persistentVolumeClaim?.readOnly === true;
    return { name, file, format: 'raw', readonly };
  }

  async #requireDisk(disk: MachineDisk, spec: MachineSpec): Promise<void> {
    const { files, hostDirectories } = this.#deps;
    if (disk.volume.hostDisk !== undefined) await hostDiskFile(disk.volume.hostDisk, hostDirectories);
    if (disk.volume.containerDisk !== undefined) await this.baseOf(disk, spec);
    const claim = await this.#claimOf(disk, spec);
    if (claim === undefined || (await files.isFilled(claim))) return;
    if (claim.copyOf !== undefined) {
      throw new NotSupportedError('qemu', `volume ${disk.name}: a copy of ${claim.copyOf}`);
    }
    const image = claimImage(claim, spec);
    const base = image === undefined ? undefined : await this.#require(image);
    await this.#assertRoom(base?.cached?.storedBytes);
    await files.fill(claim, base);
  }

  async #claimOf(disk: MachineDisk, { namespace }: MachineSpec): Promise<ClaimInfo | undefined> {
    const name = claimNameOf(disk);
    if (name === undefined) return undefined;
    const claim = await this.#deps.claims.read(namespace, name);
    if (claim === undefined) throw new MachineStartError(`PersistentVolumeClaim "${namespace}/${name}" not found`);
    return claim;
  }

  async #require(request: ImageRequest): Promise<BaseImage> {
    try {
      return await this.#deps.store.require(request, this.#deps.secrets);
    } catch (error) {
      throw startErrorOf(error);
    }
  }

  async #assertRoom(bytes = 0): Promise<void> {
    try {
      assertRoom(await this.#deps.availableBytes(), bytes);
    } catch (error) {
      throw startErrorOf(error);
    }
  }
}

/** Returns an error of images as one of machines. */
function startErrorOf(error: unknown): unknown {
  if (error instanceof ImagePullingError) return new MachinePreparingError('PullingImage', error.image, error.message);
  if (!(error instanceof ImageError)) return error;
  const { message, reason, hint } = error;
  return new MachineStartError(message, { reason, cause: error, ...(hint === undefined ? {} : { hint }) });
}
