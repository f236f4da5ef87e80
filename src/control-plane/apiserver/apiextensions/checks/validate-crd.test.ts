import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { causeReason, fieldErrorBody } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { validateMeta } from '#platform/structural/object-meta';
import { ANONYMOUS } from '../../access/user.ts';
import { decodeBuiltIn } from '../../builtin-schema/decode.ts';
import type { Crd } from '../crd.ts';
import { crdStrategy } from '../crd-strategy.ts';
import updates from './definition-updates.data.json' with { type: 'json' };
// Responses of kube-apiserver v1.36.3 to each of these CRDs.
import data from './validate-crd.data.json' with { type: 'json' };

interface Case {
  readonly about: string;
  readonly meta?: object;
  readonly spec?: object;
  readonly schema?: object;
  readonly field?: object;
  readonly fields?: object;
  readonly causes?: readonly (readonly string[])[];
  readonly warnings?: readonly string[];
}

function definitionOf({ meta, spec, schema, field, fields }: Case): KubeObject {
  const definition = structuredClone(data.base) as unknown as Crd;
  Object.assign(definition.metadata, structuredClone(meta));
  Object.assign(definition.spec, structuredClone(spec));
  const inSpec = fields ?? (field && { f: field });
  const inner = { type: 'object', properties: { spec: { type: 'object', properties: inSpec } } };
  const root = schema ?? (inSpec && inner);
  const [version] = definition.spec.versions;
  if (root !== undefined && version !== undefined) version.schema = { openAPIV3Schema: structuredClone(root) };
  return decodeBuiltIn(definition.apiVersion, definition.kind, definition)?.object as unknown as KubeObject;
}

function answerTo(given: Case): { causes: string[][]; warnings: readonly string[] } {
  const object = definitionOf(given);
  crdStrategy.defaults?.(object);
  crdStrategy.prepareCreate?.(object, ANONYMOUS);
  const causes = [...validateMeta(object.metadata), ...(crdStrategy.validate?.(object) ?? [])];
  return {
    causes: causes.map((cause) => [causeReason(cause), cause.field, fieldErrorBody(cause)]),
    warnings: causes.length > 0 ? [] : (crdStrategy.warnings?.(object) ?? []),
  };
}

describe('a new CustomResourceDefinition', () => {
  it.each(data.cases as readonly Case[])('is validated as by the API server: $about', (given) => {
    const { causes, warnings } = answerTo(given);
    // Go iterates over maps in any order.
    expect(new Set(causes)).toEqual(new Set(given.causes ?? []));
    expect(causes).toHaveLength(given.causes?.length ?? 0);
    expect(new Set(warnings)).toEqual(new Set(given.warnings ?? []));
  });
});

describe('an update of a CustomResourceDefinition', () => {
  interface Update {
    readonly about: string;
    readonly spec: object;
    readonly causes?: readonly (readonly string[])[];
    readonly storedVersions?: readonly string[];
  }

  it.each(updates.cases as readonly Update[])(
    'is validated as by the API server: $about',
    ({ spec, causes, storedVersions }) => {
      const old = structuredClone(updates.old) as unknown as KubeObject;
      const object = structuredClone(updates.old) as unknown as KubeObject;
      Object.assign(object['spec'] as object, structuredClone(spec));
      crdStrategy.defaults?.(object);
      crdStrategy.prepareUpdate?.(object, old);
      const found = crdStrategy.validate?.(object, old) ?? [];
      expect(found.map((cause) => [causeReason(cause), cause.field, fieldErrorBody(cause)])).toEqual(causes ?? []);
      if (causes === undefined) expect((object as unknown as Crd).status?.storedVersions).toEqual(storedVersions);
    },
  );

  it('rejects invalid accepted names in its status', () => {
    const old = structuredClone(updates.old) as unknown as KubeObject;
    const object = structuredClone(old);
    (object as unknown as Crd).status = { acceptedNames: { plural: 'A_', kind: '' }, storedVersions: [] };
    expect(crdStrategy.validate?.(object, old).map(({ field }) => field)).toEqual(['status.acceptedNames.plural']);
  });
});

describe('the CRD of each of our own kinds', () => {
  const directory = new URL('../../../../../deploy/crds/', import.meta.url);

  it.each(readdirSync(directory))('is valid: %s', (file) => {
    const definition = parse(readFileSync(new URL(file, directory), 'utf8')) as Crd;
    const { object } = decodeBuiltIn(definition.apiVersion, definition.kind, definition) ?? {};
    const decoded = object as unknown as KubeObject;
    crdStrategy.defaults?.(decoded);
    crdStrategy.prepareCreate?.(decoded, ANONYMOUS);
    expect(crdStrategy.validate?.(decoded)).toEqual([]);
    expect(crdStrategy.warnings?.(decoded)).toEqual([]);
  });
});
