import type { JsonSchema } from './json-schema.ts';
import type { Kind } from './kind.ts';

/** Returns the CRD of a kind as a plain object. Every served version has the same schema. */
export function crdOf(kind: Kind) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${kind.plural}.${kind.group}`,
      labels: { 'app.kubernetes.io/part-of': 'vimana' },
    },
    spec: {
      group: kind.group,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: kind.categories,
      },
      versions: kind.versions.map((name, index) => versionOf(kind, name, index === 0)),
    },
  };
}

function versionOf(kind: Kind, name: string, storage: boolean) {
  return {
    name,
    served: true,
    storage,
    additionalPrinterColumns: kind.columns.map((column) => ({
      name: column.name,
      type: column.type,
      jsonPath: column.path,
      description: column.description,
      ...(column.wide === true ? { priority: 1 } : {}),
    })),
    // An older version has no descriptions, because repeating them would triple the object's size.
    schema: { openAPIV3Schema: storage ? kind.schema : withoutDescriptions(kind.schema) },
    subresources: { status: {}, ...(kind.scale === undefined ? {} : { scale: kind.scale }) },
  };
}

function withoutDescriptions(schema: JsonSchema): JsonSchema {
  const { description: _dropped, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, withoutDescriptions(v)])) }),
    ...(items === undefined ? {} : { items: withoutDescriptions(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? withoutDescriptions(additionalProperties) : additionalProperties,
        }),
  };
}
