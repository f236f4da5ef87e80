import type { KubeObject } from '../../kube/kube-object.ts';
import type { Resource, Shape } from '../resource.ts';
import type { Convert } from './conversion.ts';
import { type Definition, storageVersion } from './definition.ts';

/**
 * How stored objects become objects of a version: converted where they are stored in another one, and brought to the
 * schema of now where they are older than it. Absent where neither can be, so that their texts can be answered as
 * they are.
 */
export function readStored(
  definition: Definition,
  version: string,
  convert: Convert,
  staleBefore: number,
  shape: () => Shape,
): Pick<Resource, 'fromStorage'> {
  const converts = !isAlwaysStoredAs(definition, version);
  if (!converts && staleBefore === 0) return {};
  const apiVersion = `${definition.spec.group}/${version}`;
  return {
    fromStorage: async (objects) => {
      const other = converts && objects.some((object) => object.apiVersion !== apiVersion);
      const converted = other ? await convert(objects, apiVersion) : objects;
      return converted.map((object) =>
        Number(object.metadata.resourceVersion) < staleBefore ? settled(object, shape()) : object,
      );
    },
  };
}

/** The object as it would be read today: without fields that are gone, with defaults that have come. */
function settled(object: KubeObject, shape: Shape): KubeObject {
  const { object: read } = shape.read(structuredClone(object));
  shape.applyDefaults(read);
  return read;
}

function isAlwaysStoredAs(definition: Definition, version: string): boolean {
  const stored = new Set([storageVersion(definition), ...(definition.status?.storedVersions ?? [])]);
  return stored.size === 1 && stored.has(version);
}

/** How objects of a version are put down. */
export function writeStored(stored: string, isStored: boolean, convert: Convert): Pick<Resource, 'toStorage'> {
  if (isStored) return {};
  return {
    toStorage: async (object) => {
      const [converted = object] = await convert([object], stored);
      // The revision is written into it next, and the object itself is still the answer.
      return { ...converted, apiVersion: stored, metadata: { ...converted.metadata } };
    },
  };
}
