import type { Field, Message } from './gnostic.ts';
import * as g from './gnostic.ts';

const schema: Message = g.structure(
  () => ({
    $ref: [1, g.text],
    format: [2, g.text],
    title: [3, g.text],
    description: [4, g.text],
    default: [5, g.any],
    multipleOf: [6, g.decimal],
    maximum: [7, g.decimal],
    exclusiveMaximum: [8, g.flag],
    minimum: [9, g.decimal],
    exclusiveMinimum: [10, g.flag],
    maxLength: [11, g.whole],
    minLength: [12, g.whole],
    pattern: [13, g.text],
    maxItems: [14, g.whole],
    minItems: [15, g.whole],
    uniqueItems: [16, g.flag],
    maxProperties: [17, g.whole],
    minProperties: [18, g.whole],
    required: [19, g.each(g.text)],
    enum: [20, g.each(g.any)],
    additionalProperties: [21, additional],
    type: [22, g.wrapMessage(g.text)],
    items: [23, g.wrapMessage(schemaField)],
    allOf: [24, g.each(schemaField)],
    properties: [25, g.inside(g.mapOf(schemaField))],
    externalDocs: [29, g.inside(g.structure(() => ({ description: [1, g.text], url: [2, g.text] }), 3))],
    example: [30, g.any],
  }),
  31,
);
const schemaField = g.inside(schema);

const additional: Field = g.inside((writer, json) => {
  if (typeof json === 'boolean') g.flag(writer, 2, json);
  else schemaField(writer, 1, json);
});

const bodyParameter = g.inside(
  g.structure(
    () => ({
      description: [1, g.text],
      name: [2, g.text],
      in: [3, g.text],
      required: [4, g.flag],
      schema: [5, schemaField],
    }),
    6,
  ),
);

const queryParameter = g.inside(
  g.structure(
    () => ({
      required: [1, g.flag],
      in: [2, g.text],
      description: [3, g.text],
      name: [4, g.text],
      type: [6, g.text],
      uniqueItems: [20, g.flag],
    }),
    23,
  ),
);

const pathParameter = g.inside(
  g.structure(
    () => ({
      required: [1, g.flag],
      in: [2, g.text],
      description: [3, g.text],
      name: [4, g.text],
      type: [5, g.text],
      uniqueItems: [19, g.flag],
    }),
    22,
  ),
);

const otherParameter = g.inside((writer, json) => {
  if ((json as { in: string }).in === 'query') queryParameter(writer, 3, json);
  else pathParameter(writer, 4, json);
});

const parameter: Message = (writer, json) => {
  if ((json as { in: string }).in === 'body') bodyParameter(writer, 1, json);
  else otherParameter(writer, 2, json);
};

const parameters = g.each(g.orReference(parameter));

const response: Message = g.structure(() => ({ description: [1, g.text], schema: [2, g.wrapMessage(schemaField)] }), 5);

const operation = g.inside(
  g.structure(
    () => ({
      tags: [1, g.each(g.text)],
      description: [3, g.text],
      operationId: [5, g.text],
      produces: [6, g.each(g.text)],
      consumes: [7, g.each(g.text)],
      parameters: [8, parameters],
      responses: [9, g.inside(g.mapOf(g.orReference(response)))],
      schemes: [10, g.each(g.text)],
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
  g.structure(() => ({ type: [1, g.text], name: [2, g.text], in: [3, g.text], description: [4, g.text] }), 5),
);

/** An OpenAPI v2 document as protobuf, the form that client-go reads. */
export const DOCUMENT_V2: Message = g.structure(
  () => ({
    swagger: [1, g.text],
    info: [2, g.inside(g.structure(() => ({ title: [1, g.text], version: [2, g.text] }), 7))],
    paths: [8, g.inside(g.mapOf(pathItem, 2))],
    definitions: [9, g.inside(g.mapOf(schemaField))],
    parameters: [10, g.inside(g.mapOf(g.inside(parameter)))],
    security: [12, g.each(g.inside(g.mapOf(g.inside((writer, json) => g.each(g.text)(writer, 1, json)))))],
    securityDefinitions: [13, g.inside(g.mapOf(g.inside((writer, json) => apiKey(writer, 2, json))))],
  }),
  16,
);
