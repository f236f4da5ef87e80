import type { KubeObject } from '#platform/kube/kube-object';
import { metaValidation } from '#platform/structural/object-meta';
import { badRequest } from './api-error.ts';
import { crdStrategy } from './apiextensions/crd-strategy.ts';
import type { KindDefinition } from './builtin-resources.ts';
import { builtInDecoding, conversionProblem, decodeBuiltIn } from './builtin-schema/decode.ts';
import { conversionOf } from './kinds/conversion-of.ts';
import { nameProblems } from './kinds/object-name.ts';
import { strategyOf } from './kinds/strategy-of.ts';
import type { KindSchema } from './resource.ts';

/** Strategies, schemas and conversions of the built-in kinds. */
export const kindParts: KindDefinition = {
  shape: shapeOf,
  strategy: (group, plural) => (group === 'apiextensions.k8s.io' ? crdStrategy : strategyOf(group, plural)),
  conversion: conversionOf,
};

function shapeOf(group: string, version: string, kind: string, plural: string): KindSchema {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const rules = { nameProblems: nameProblems(group, plural) };
  return {
    copies: decodeBuiltIn(apiVersion, kind, {}) !== undefined,
    *read(body) {
      const decoded = yield* builtInDecoding(apiVersion, kind, body);
      const { object, unknown, error } = decoded ?? { object: body, unknown: [] };
      if (error === undefined) return { object: object as KubeObject, unknown };
      throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error}`);
    },
    conversionProblem: (object) => conversionProblem(apiVersion, kind, object),
    // All defaults of built-in kinds are code.
    applyDefaults() {},
    *validate({ metadata }) {
      // The strategy of the kind has already validated the rest.
      yield;
      return yield* metaValidation(metadata, rules);
    },
  };
}
