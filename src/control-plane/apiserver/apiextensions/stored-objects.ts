import { runSteps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import type { KindSchema, Resource } from '../resource.ts';
import type { Convert } from './conversion.ts';
import { type Crd, storageVersion } from './crd.ts';

/**
 * Returns how stored objects become objects of a version: they are converted from another version, and updated to the
 * current schema if they are older. Absent if neither can occur, so that the stored text can be returned as it is.
 */
export function readStored(
  definition: Crd,
  version: string,
  convert: Convert,
  staleBefore: number,
  shapeOf: (version: string) => KindSchema | undefined,
): Pick<Resource, 'fromStorage'> {
  const converts = !isAlwaysStoredAs(definition, version);
  if (!converts && staleBefore === 0) return {};
  const apiVersion = `${definition.spec.group}/${version}`;
  return {
    fromStorage: async (objects) => {
      const read = objects.map((object) =>
        Number(object.metadata.resourceVersion) < staleBefore
          ? settleObject(object, shapeOf(versionOf(object)))
          : object,
      );
      return converts && read.some((object) => object.apiVersion !== apiVersion)
        ? await convert(read, apiVersion)
        : read;
    },
  };
}

const versionOf = ({ apiVersion }: KubeObject): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

/** Updates an object to the current schema of its stored version: it drops removed fields and sets new defaults. */
function settleObject(object: KubeObject, shape: KindSchema | undefined): KubeObject {
  if (shape === undefined) return object;
  const { object: read } = runSteps(shape.read(structuredClone(object)));
  shape.applyDefaults(read);
  return read;
}

function isAlwaysStoredAs(definition: Crd, version: string): boolean {
  const stored = new Set([storageVersion(definition), ...(definition.status?.storedVersions ?? [])]);
  return stored.size === 1 && stored.has(version);
}

/** Returns how objects of a version are stored: converted to the storage version, with only its fields and defaults. */
export function writeStored(
  stored: string,
  isStored: boolean,
  convert: Convert,
  shapeOf: (version: string) => KindSchema | undefined,
): Pick<Resource, 'toStorage'> {
  if (isStored) return {};
  return {
    toStorage: async (object) => {
      const [converted = object] = await convert([object], stored);
      // The revision is written into the copy next, while the object itself is still the response.
      const { metadata } = converted;
      const copy = { ...structuredClone(converted), apiVersion: stored };
      const kept = settleObject(copy, shapeOf(versionOf(copy)));
      return { ...kept, metadata: { ...metadata } };
    },
  };
}
