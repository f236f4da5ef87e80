import type { Field, Message } from './gnostic.ts';
import * as g from './gnostic.ts';

const schema: Message = g.structure(
  () => ({
    nullable: [1, g.flag],
    externalDocs: [6, g.inside(g.structure(() => ({ description: [1, g.text], url: [2, g.text] }), 3))],
    example: [7, g.any],
    title: [9, g.text],
    multipleOf: [10, g.decimal],
    maximum: [11, g.decimal],
    exclusiveMaximum: [12, g.flag],
    minimum: [13, g.decimal],
    exclusiveMinimum: [14, g.flag],
    maxLength: [15, g.whole],
    minLength: [16, g.whole],
    pattern: [17, g.text],
    maxItems: [18, g.whole],
    minItems: [19, g.whole],
    uniqueItems: [20, g.flag],
    maxProperties: [21, g.whole],
    minProperties: [22, g.whole],
    required: [23, g.each(g.text)],
    enum: [24, g.each(g.any)],
    type: [25, g.text],
    allOf: [26, g.each(schemaOrReference)],
    oneOf: [27, g.each(schemaOrReference)],
    anyOf: [28, g.each(schemaOrReference)],
    not: [29, g.inside(schema)],
    items: [30, g.wrapMessage(schemaOrReference)],
    properties: [31, g.inside(g.mapOf(schemaOrReference))],
    additionalProperties: [32, additional],
    default: [33, scalarDefault],
    description: [34, g.text],
    format: [35, g.text],
  }),
  36,
);
const schemaOrReference = g.orReference(schema);

const additional: Field = g.inside((writer, json) => {
  if (typeof json === 'boolean') g.flag(writer, 2, json);
  else schemaOrReference(writer, 1, json);
});

/** Only scalar values are written, since the format cannot hold others. */
const scalarDefault: Field = g.inside((writer, json) => {
  if (typeof json === 'number') g.decimal(writer, 1, json);
  else if (typeof json === 'boolean') g.flag(writer, 2, json);
  else if (typeof json === 'string') g.text(writer, 3, json);
});

const content = g.inside(g.mapOf(g.inside(g.structure(() => ({ schema: [1, schemaOrReference] }), 5))));

const parameters = g.each(
  g.orReference(
    g.structure(
      () => ({
        name: [1, g.text],
        in: [2, g.text],
        description: [3, g.text],
        required: [4, g.flag],
        schema: [10, schemaOrReference],
      }),
      14,
    ),
  ),
);

const requestBody = g.orReference(
  g.structure(() => ({ description: [1, g.text], content: [2, content], required: [3, g.flag] }), 4),
);

const response = g.orReference(g.structure(() => ({ description: [1, g.text], content: [3, content] }), 5));

const operation = g.inside(
  g.structure(
    () => ({
      tags: [1, g.each(g.text)],
      description: [3, g.text],
      operationId: [5, g.text],
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
  g.structure(() => ({ type: [1, g.text], description: [2, g.text], name: [3, g.text], in: [4, g.text] }), 9),
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
export const DOCUMENT_V3: Message = g.structure(
  () => ({
    openapi: [1, g.text],
    info: [2, g.inside(g.structure(() => ({ title: [1, g.text], version: [6, g.text] }), 7))],
    paths: [4, g.inside(g.mapOf(pathItem))],
    components: [5, components],
  }),
  9,
);
