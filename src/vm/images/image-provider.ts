import { claimedDisks } from '#api/hypersdk/claims';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import { isOnWeb, shownAddress } from '#platform/base/web-address';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import type { ImageVerification, VmDependencies } from '#vm/engine/vm-dependencies';
import { type CheckedImage, keyOfImage } from './digest.ts';
import type { ImageVerifier } from './verifier.ts';

type Context = Parameters<DependencyProvider['provide']>[1];

/** Verifies the images of VMs before their first start, and wakes the VMs when there is a result. */
export function imageProvider(
  verifier: ImageVerifier,
  templates: Pick<DependencyProvider<'template'>, 'provide'>,
): DependencyProvider<'image'> {
  /** VMs by the images that they wait for. */
  const waiting = new Map<string, Set<string>>();
  /** Images that were reported as verified, by VM. */
  const told = new Map<string, string>();
  const followed = new WeakSet<AbortSignal>();
  /** Subscribes a context once, since every run of the controller has its own queue. */
  const follow = ({ signal, enqueue }: Context): void => {
    if (followed.has(signal)) return;
    followed.add(signal);
    const stop = verifier.onAnswer((image) => {
      const keys = waiting.get(image) ?? [];
      waiting.delete(image);
      for (const key of keys) enqueue(key);
    });
    signal.addEventListener('abort', stop, { once: true });
  };

  return {
    provide(machine, context) {
      const vm = machine as unknown as VirtualMachine;
      const { namespace, name } = vm.metadata;
      const key = `${namespace}/${name}`;
      const image = imageOf(vm, templates.provide(machine, context));
      const left = image && skippedVerification(vm, image);
      if (image === undefined || left !== undefined) {
        verifier.release(key);
        return left;
      }
      follow(context);
      const desired = keyOfImage(image);
      const verdict = verifier.verification(image, { namespace, key }, context.signal);
      if (verdict.state === 'waits') {
        waiting.set(desired, (waiting.get(desired) ?? new Set()).add(key));
      } else if (told.get(key) !== desired) {
        told.set(key, desired);
        const message = `the image at ${shownAddress(image.source)} matches its checksum ${image.checksum.toLowerCase()}`;
        context.events.event(machine, 'Normal', 'ImageVerified', message);
      }
      return verdict;
    },
    forget(key) {
      verifier.release(key);
      told.delete(key);
      for (const [image, keys] of waiting) {
        keys.delete(key);
        if (keys.size === 0) waiting.delete(image);
      }
    },
  };
}

/** Returns the image that a disk of the VM is created from, if it has a checksum. */
function imageOf(vm: VirtualMachine, template: VmDependencies['template']): CheckedImage | undefined {
  const spec = typeof template === 'object' ? withTemplateDefaults(vm.spec, (template as VMTemplate).spec) : vm.spec;
  if (spec.image?.checksum === undefined) return undefined;
  for (const { origin } of claimedDisks(vm.metadata.name, spec)) {
    if (origin?.image === undefined || origin.checksum === undefined) continue;
    return { source: origin.image, checksum: origin.checksum };
  }
  return undefined;
}

function skippedVerification(
  { metadata, spec, status }: VirtualMachine,
  { source }: CheckedImage,
): ImageVerification | undefined {
  const left = (why: string): ImageVerification => ({ state: 'left', why });
  if (status?.startTime !== undefined) return left('the disk was created without verification');
  if (!isOnWeb(source)) return left('only images with http:// and https:// URLs are downloaded');
  const isWanted = spec.running && metadata.deletionTimestamp === undefined;
  return isWanted ? undefined : left('it is verified before the first start');
}
