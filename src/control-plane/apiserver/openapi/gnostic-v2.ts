import type { FieldEncoder, MessageEncoder } from './gnostic.ts';
import * as g from './gnostic.ts';

const schema: MessageEncoder = g.structure(
  () => ({
    $ref: [1, g.encodeText],
    format: [2, g.encodeText],
    title: [3, g.encodeText],
    description: [4, g.encodeText],
    default: [5, g.encodeAny],
    multipleOf: [6, g.encodeDouble],
    maximum: [7, g.encodeDouble],
    exclusiveMaximum: [8, g.encodeFlag],
    minimum: [9, g.encodeDouble],
    exclusiveMinimum: [10, g.encodeFlag],
    maxLength: [11, g.encodeInteger],
    minLength: [12, g.encodeInteger],
    pattern: [13, g.encodeText],
    maxItems: [14, g.encodeInteger],
    minItems: [15, g.encodeInteger],
    uniqueItems: [16, g.encodeFlag],
    maxProperties: [17, g.encodeInteger],
    minProperties: [18, g.encodeInteger],
    required: [19, g.each(g.encodeText)],
    enum: [20, g.each(g.encodeAny)],
    additionalProperties: [21, additional],
    type: [22, g.wrapMessage(g.encodeText)],
    items: [23, g.wrapMessage(schemaField)],
    allOf: [24, g.each(schemaField)],
    properties: [25, g.inside(g.mapOf(schemaField))],
    externalDocs: [29, g.inside(g.structure(() => ({ description: [1, g.encodeText], url: [2, g.encodeText] }), 3))],
    example: [30, g.encodeAny],
  }),
  31,
);
const schemaField = g.inside(schema);

const additional: FieldEncoder = g.inside((writer, json) => {
  if (typeof json === 'boolean') g.encodeFlag(writer, 2, json);
  else schemaField(writer, 1, json);
});

const bodyParameter = g.inside(
  g.structure(
    () => ({
      description: [1, g.encodeText],
      name: [2, g.encodeText],
      in: [3, g.encodeText],
      required: [4, g.encodeFlag],
      schema: [5, schemaField],
    }),
    6,
  ),
);

const queryParameter = g.inside(
  g.structure(
    () => ({
      required: [1, g.encodeFlag],
      in: [2, g.encodeText],
      description: [3, g.encodeText],
      name: [4, g.encodeText],
      type: [6, g.encodeText],
      uniqueItems: [20, g.encodeFlag],
    }),
    23,
  ),
);

const pathParameter = g.inside(
  g.structure(
    () => ({
      required: [1, g.encodeFlag],
      in: [2, g.encodeText],
      description: [3, g.encodeText],
      name: [4, g.encodeText],
      type: [5, g.encodeText],
      uniqueItems: [19, g.encodeFlag],
    }),
    22,
  ),
);

const otherParameter = g.inside((writer, json) => {
  if ((json as { in: string }).in === 'query') queryParameter(writer, 3, json);
  else pathParameter(writer, 4, json);
});

const parameter: MessageEncoder = (writer, json) => {
  if ((json as { in: string }).in === 'body') bodyParameter(writer, 1, json);
  else otherParameter(writer, 2, json);
};

const parameters = g.each(g.orReference(parameter));

const response: MessageEncoder = g.structure(
  () => ({ description: [1, g.encodeText], schema: [2, g.wrapMessage(schemaField)] }),
  5,
);

const operation = g.inside(
  g.structure(
    () => ({
      tags: [1, g.each(g.encodeText)],
      description: [3, g.encodeText],
      operationId: [5, g.encodeText],
      produces: [6, g.each(g.encodeText)],
      consumes: [7, g.each(g.encodeText)],
      parameters: [8, parameters],
      responses: [9, g.inside(g.mapOf(g.orReference(response)))],
      schemes: [10, g.each(g.encodeText)],
    }),
    13,
  ),
);

const pathItem = g.inside(
  g.structure(
    () => ({
      get: [2, operation],
      put: [3, operation],
      post: [4, operation],
      delete: [5, operation],
      options: [6, operation],
      head: [7, operation],
      patch: [8, operation],
      parameters: [9, parameters],
    }),
    10,
  ),
);

const apiKey = g.inside(
  g.structure(
    () => ({ type: [1, g.encodeText], name: [2, g.encodeText], in: [3, g.encodeText], description: [4, g.encodeText] }),
    5,
  ),
);

/** An OpenAPI v2 document as protobuf, the form that client-go reads. */
export const DOCUMENT_V2: MessageEncoder = g.structure(
  () => ({
    swagger: [1, g.encodeText],
    info: [2, g.inside(g.structure(() => ({ title: [1, g.encodeText], version: [2, g.encodeText] }), 7))],
    paths: [8, g.inside(g.mapOf(pathItem, 2))],
    definitions: [9, g.inside(g.mapOf(schemaField))],
    parameters: [10, g.inside(g.mapOf(g.inside(parameter)))],
    security: [12, g.each(g.inside(g.mapOf(g.inside((writer, json) => g.each(g.encodeText)(writer, 1, json)))))],
    securityDefinitions: [13, g.inside(g.mapOf(g.inside((writer, json) => apiKey(writer, 2, json))))],
  }),
  16,
);
