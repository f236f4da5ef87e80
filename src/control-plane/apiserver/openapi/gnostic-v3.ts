import type { FieldEncoder, MessageEncoder } from './gnostic.ts';
import * as g from './gnostic.ts';

const schema: MessageEncoder = g.structure(
  () => ({
    nullable: [1, g.encodeFlag],
    externalDocs: [6, g.inside(g.structure(() => ({ description: [1, g.encodeText], url: [2, g.encodeText] }), 3))],
    example: [7, g.encodeAny],
    title: [9, g.encodeText],
    multipleOf: [10, g.encodeDouble],
    maximum: [11, g.encodeDouble],
    exclusiveMaximum: [12, g.encodeFlag],
    minimum: [13, g.encodeDouble],
    exclusiveMinimum: [14, g.encodeFlag],
    maxLength: [15, g.encodeInteger],
    minLength: [16, g.encodeInteger],
    pattern: [17, g.encodeText],
    maxItems: [18, g.encodeInteger],
    minItems: [19, g.encodeInteger],
    uniqueItems: [20, g.encodeFlag],
    maxProperties: [21, g.encodeInteger],
    minProperties: [22, g.encodeInteger],
    required: [23, g.each(g.encodeText)],
    enum: [24, g.each(g.encodeAny)],
    type: [25, g.encodeText],
    allOf: [26, g.each(schemaOrReference)],
    oneOf: [27, g.each(schemaOrReference)],
    anyOf: [28, g.each(schemaOrReference)],
    not: [29, g.inside(schema)],
    items: [30, g.wrapMessage(schemaOrReference)],
    properties: [31, g.inside(g.mapOf(schemaOrReference))],
    additionalProperties: [32, additional],
    default: [33, scalarDefault],
    description: [34, g.encodeText],
    format: [35, g.encodeText],
  }),
  36,
);
const schemaOrReference = g.orReference(schema);

const additional: FieldEncoder = g.inside((writer, json) => {
  if (typeof json === 'boolean') g.encodeFlag(writer, 2, json);
  else schemaOrReference(writer, 1, json);
});

/** Only scalar values are written, since the format cannot hold others. */
const scalarDefault: FieldEncoder = g.inside((writer, json) => {
  if (typeof json === 'number') g.encodeDouble(writer, 1, json);
  else if (typeof json === 'boolean') g.encodeFlag(writer, 2, json);
  else if (typeof json === 'string') g.encodeText(writer, 3, json);
});

const content = g.inside(g.mapOf(g.inside(g.structure(() => ({ schema: [1, schemaOrReference] }), 5))));

const parameters = g.each(
  g.orReference(
    g.structure(
      () => ({
        name: [1, g.encodeText],
        in: [2, g.encodeText],
        description: [3, g.encodeText],
        required: [4, g.encodeFlag],
        schema: [10, schemaOrReference],
      }),
      14,
    ),
  ),
);

const requestBody = g.orReference(
  g.structure(() => ({ description: [1, g.encodeText], content: [2, content], required: [3, g.encodeFlag] }), 4),
);

const response = g.orReference(g.structure(() => ({ description: [1, g.encodeText], content: [3, content] }), 5));

const operation = g.inside(
  g.structure(
    () => ({
      tags: [1, g.each(g.encodeText)],
      description: [3, g.encodeText],
      operationId: [5, g.encodeText],
      parameters: [6, parameters],
      requestBody: [7, requestBody],
      responses: [8, g.inside(g.mapOf(response, 2))],
    }),
    13,
  ),
);

const pathItem = g.inside(
  g.structure(
    () => ({
      get: [4, operation],
      put: [5, operation],
      post: [6, operation],
      delete: [7, operation],
      options: [8, operation],
      head: [9, operation],
      patch: [10, operation],
      parameters: [13, parameters],
    }),
    14,
  ),
);

const securityScheme = g.orReference(
  g.structure(
    () => ({ type: [1, g.encodeText], description: [2, g.encodeText], name: [3, g.encodeText], in: [4, g.encodeText] }),
    9,
  ),
);

const components = g.inside(
  g.structure(
    () => ({
      schemas: [1, g.inside(g.mapOf(schemaOrReference))],
      securitySchemes: [7, g.inside(g.mapOf(securityScheme))],
    }),
    10,
  ),
);

/** An OpenAPI v3 document as protobuf. */
export const DOCUMENT_V3: MessageEncoder = g.structure(
  () => ({
    openapi: [1, g.encodeText],
    info: [2, g.inside(g.structure(() => ({ title: [1, g.encodeText], version: [6, g.encodeText] }), 7))],
    paths: [4, g.inside(g.mapOf(pathItem))],
    components: [5, components],
  }),
  9,
);
