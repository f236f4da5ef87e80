import { runSteps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import type { KindSchema, Resource } from '../resource.ts';
import type { Convert } from './conversion.ts';
import { type Crd, storageVersion } from './crd.ts';

/**
 * How stored objects become objects of a version: converted where they are stored in another one, and brought to the
 * schema of now where they are older than it. Absent where neither can be, so that their texts can be answered as
 * they are.
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

/** The object as the version that it is stored in has it today: without fields that are gone, with defaults that have come. */
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

/** How objects of a version are put down: as the version that is stored has them, with its fields and defaults alone. */
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
      // The revision is written into it next, and the object itself is still the answer.
      const { metadata } = converted;
      const copy = { ...structuredClone(converted), apiVersion: stored };
      const kept = settleObject(copy, shapeOf(versionOf(copy)));
      return { ...kept, metadata: { ...metadata } };
    },
  };
}
