import { append } from '#platform/base/append';
import type { FieldError } from '#platform/base/field-error';
import { compileSchema } from '#platform/structural/structural-schema';
import { badRequest } from '../api-error.ts';
import { objectMetaDecoding } from '../builtin-schema/decode.ts';
import type { KindSchema } from '../resource.ts';
import type { ScalePaths } from '../scale-paths.ts';
import { validateScale } from '../subresources/scale-values.ts';
import type { CrdVersion } from './crd.ts';
import { embeddedResources, readEmbedded, validateEmbedded } from './embedded-resources.ts';

/**
 * Builds the schema of a custom kind in one version: its metadata is that of every object, the rest follows its own
 * schema.
 */
export function customShape(
  kind: string,
  { name: version, schema }: Pick<CrdVersion, 'name' | 'schema'>,
  scale?: ScalePaths,
): KindSchema {
  const whole = schema?.openAPIV3Schema ?? { type: 'object' };
  const structural = compileSchema(whole);
  const embedded = embeddedResources(whole);
  const refuse = (why: string) => badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  return {
    copies: false,
    *read(object) {
      const { object: metadata, unknown, error } = yield* objectMetaDecoding(object.metadata ?? {});
      if (error !== undefined) throw refuse(error);
      object.metadata = metadata;
      const others = unknown.map((path) => `metadata.${path}`);
      embedded?.(object, (resource, path) => {
        const read = readEmbedded(resource, path);
        if (read.problem !== undefined) throw refuse(read.problem);
        append(others, read.unknown);
      });
      yield;
      return { object, unknown: [...structural.prune(object), ...others] };
    },
    applyDefaults: (object) => structural.applyDefaults(object),
    *validate(object, old, subresource, fits) {
      // The fields of the scale subresource must be valid.
      const others = scale === undefined ? [] : validateScale(object, scale);
      const found = fits === true ? others : yield* structural.validateInSteps(object, old, others);
      const causes = subresource === 'status' ? found.map(withinStatus) : found;
      if (embedded === undefined) return causes;
      const inside: FieldError[] = [];
      embedded(object, (resource, path) => append(inside, validateEmbedded(resource, path)));
      return [...inside, ...causes];
    },
  };
}

/** Makes the path of a cause relative to the status, as the API server does for writes of the status. */
function withinStatus(cause: FieldError): FieldError {
  const { detail } = cause;
  return detail.startsWith('status.') ? { ...cause, detail: detail.slice('status.'.length) } : cause;
}
