import { compileSchema } from '../../structural/structural-schema.ts';
import { badRequest } from '../api-error.ts';
import { decodeObjectMeta } from '../builtin-schema/decode.ts';
import type { Shape } from '../resource.ts';
import type { DefinitionVersion } from './definition.ts';

/** The shape of a custom kind in one version: its metadata is that of every object, the rest is its schema's. */
export function customShape(kind: string, { name: version, schema }: DefinitionVersion): Shape {
  const structural = compileSchema(schema?.openAPIV3Schema ?? { type: 'object' });
  return {
    read: (object) => {
      const { object: metadata, unknown, error } = decodeObjectMeta(object.metadata);
      if (error !== undefined) {
        throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error}`);
      }
      object.metadata = metadata;
      return { object, unknown: [...structural.prune(object), ...unknown.map((path) => `metadata.${path}`)] };
    },
    applyDefaults: (object) => structural.applyDefaults(object),
    validate: (object, old) => structural.validate(object, old),
  };
}
