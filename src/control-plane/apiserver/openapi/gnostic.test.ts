import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#platform/base/bytes';
import { deployedDefinitions, servedDocuments } from './documents.fixture.ts';
import type { OpenApiDocument } from './documents.ts';
import { encodeDocument } from './gnostic.ts';
import { DOCUMENT_V2 } from './gnostic-v2.ts';
import { DOCUMENT_V3 } from './gnostic-v3.ts';

/** Parts of gnostic's messages that contain schemas and operations, as its readers declare them. */
const V2 = protobuf
  .parse(`syntax = "proto3";
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message AdditionalPropertiesItem { oneof oneof { Schema schema = 1; bool boolean = 2; } }
message Properties { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message Schema {
  string _ref = 1; string format = 2; string description = 4; double maximum = 7; int64 max_length = 11;
  bool unique_items = 16; repeated string required = 19; repeated Any enum = 20;
  AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23;
  Properties properties = 25; repeated NamedAny vendor_extension = 31;
}
message SchemaItem { oneof oneof { Schema schema = 1; } }
message Response { string description = 1; SchemaItem schema = 2; }
message JsonReference { string _ref = 1; }
message ResponseValue { oneof oneof { Response response = 1; JsonReference json_reference = 2; } }
message NamedResponseValue { string name = 1; ResponseValue value = 2; }
message Responses { repeated NamedResponseValue response_code = 1; }
message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
message QueryParameter { bool required = 1; string in = 2; string name = 4; string type = 6; bool unique_items = 20; }
message PathParameter { bool required = 1; string in = 2; string name = 4; string type = 5; bool unique_items = 19; }
message NonBodyParameter { oneof oneof { QueryParameter query = 3; PathParameter path = 4; } }
message Parameter { oneof oneof { BodyParameter body_parameter = 1; NonBodyParameter non_body_parameter = 2; } }
message ParametersItem { oneof oneof { Parameter parameter = 1; JsonReference json_reference = 2; } }
message Operation {
  repeated string tags = 1; string operation_id = 5; repeated string produces = 6; repeated string consumes = 7;
  repeated ParametersItem parameters = 8; Responses responses = 9; repeated string schemes = 10;
  repeated NamedAny vendor_extension = 13;
}
message PathItem { Operation get = 2; Operation put = 3; Operation post = 4; Operation patch = 8; repeated ParametersItem parameters = 9; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message Paths { repeated NamedPathItem path = 2; }
message Definitions { repeated NamedSchema additional_properties = 1; }
message NamedParameter { string name = 1; Parameter value = 2; }
message ParameterDefinitions { repeated NamedParameter additional_properties = 1; }
message StringArray { repeated string value = 1; }
message NamedStringArray { string name = 1; StringArray value = 2; }
message SecurityRequirement { repeated NamedStringArray additional_properties = 1; }
message Info { string title = 1; string version = 2; }
message Document { string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9; ParameterDefinitions parameters = 10; repeated SecurityRequirement security = 12; }
`)
  .root.lookupType('Document');

const V3 = protobuf
  .parse(`syntax = "proto3";
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message Reference { string _ref = 1; }
message SchemaOrReference { oneof oneof { Schema schema = 1; Reference reference = 2; } }
message NamedSchemaOrReference { string name = 1; SchemaOrReference value = 2; }
message Properties { repeated NamedSchemaOrReference additional_properties = 1; }
message ItemsItem { repeated SchemaOrReference schema_or_reference = 1; }
message DefaultType { oneof oneof { double number = 1; bool boolean = 2; string string = 3; } }
message Schema {
  bool nullable = 1; repeated string required = 23; string type = 25; repeated SchemaOrReference all_of = 26;
  ItemsItem items = 30; Properties properties = 31; DefaultType default = 33; string description = 34;
  repeated NamedAny specification_extension = 36;
}
message Components { Properties schemas = 1; }
message MediaType { SchemaOrReference schema = 1; }
message NamedMediaType { string name = 1; MediaType value = 2; }
message MediaTypes { repeated NamedMediaType additional_properties = 1; }
message Response { string description = 1; MediaTypes content = 3; }
message ResponseOrReference { oneof oneof { Response response = 1; } }
message NamedResponseOrReference { string name = 1; ResponseOrReference value = 2; }
message Responses { repeated NamedResponseOrReference response_or_reference = 2; }
message RequestBody { MediaTypes content = 2; bool required = 3; }
message RequestBodyOrReference { oneof oneof { RequestBody request_body = 1; } }
message Operation { string operation_id = 5; RequestBodyOrReference request_body = 7; Responses responses = 8; repeated NamedAny specification_extension = 13; }
message PathItem { Operation get = 4; Operation patch = 10; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message Paths { repeated NamedPathItem path = 1; }
message Info { string title = 1; string version = 6; }
message Document { string openapi = 1; Info info = 2; Paths paths = 4; Components components = 5; }
`)
  .root.lookupType('Document');

interface Named<T> {
  readonly name: string;
  readonly value: T;
}

const served = servedDocuments();
for (const definition of deployedDefinitions()) served.define(definition);

const json = (document: OpenApiDocument | undefined) => JSON.parse(decodeUtf8(document?.json ?? encodeUtf8('{}')));
const decoded = (type: protobuf.Type, bytes: Uint8Array) => type.toObject(type.decode(bytes));

describe('OpenAPI v2 in protobuf', () => {
  const document = served.documents.v2();
  const source = json(document);
  const read = decoded(V2, document.protobuf());

  it('has every path, definition and parameter of the JSON, in order', () => {
    expect(read['info']).toEqual(source.info);
    const names = (list: readonly Named<unknown>[]) => list.map(({ name }) => name);
    expect(names(read['paths'].path)).toEqual(Object.keys(source.paths));
    expect(names(read['definitions'].additionalProperties)).toEqual(Object.keys(source.definitions));
    expect(names(read['parameters'].additionalProperties)).toEqual(Object.keys(source.parameters));
    expect(read['security']).toEqual([{ additionalProperties: [{ name: 'BearerToken', value: {} }] }]);
  });

  it('has the operations that kubectl reads', () => {
    const path = '/api/v1/namespaces/{namespace}/configmaps/{name}';
    const item = read['paths'].path.find(({ name }: Named<unknown>) => name === path).value;
    expect(item.patch.operationId).toBe('patchCoreV1NamespacedConfigMap');
    expect(item.patch.consumes).toContain('application/strategic-merge-patch+json');
    const extension = item.patch.vendorExtension.find(
      ({ name }: Named<unknown>) => name === 'x-kubernetes-group-version-kind',
    );
    expect(JSON.parse(extension.value.yaml)).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' });
    const validation = { required: undefined, in: 'query', name: 'fieldValidation', type: 'string', uniqueItems: true };
    expect(item.patch.parameters).toContainEqual({ parameter: { nonBodyParameter: { query: validation } } });
    expect(item.parameters[0]).toEqual({
      parameter: {
        nonBodyParameter: { path: { required: true, in: 'path', name: 'name', type: 'string', uniqueItems: true } },
      },
    });
    expect(item.put.parameters[0].parameter.bodyParameter).toEqual({
      name: 'body',
      in: 'body',
      required: true,
      schema: { _ref: '#/definitions/io.k8s.api.core.v1.ConfigMap' },
    });
    expect(item.get.responses.responseCode[0]).toEqual({
      name: '200',
      value: {
        response: { description: 'OK', schema: { schema: { _ref: '#/definitions/io.k8s.api.core.v1.ConfigMap' } } },
      },
    });
  });
});

describe('OpenAPI v3 in protobuf', () => {
  it('has every path and component of the JSON, in order', () => {
    const document = served.documents.v3('apis/hypersdk.io/v1alpha1');
    const source = json(document);
    const read = decoded(V3, document?.protobuf() ?? new Uint8Array());
    expect(read['info']).toEqual(source.info);
    expect(read['paths'].path.map(({ name }: Named<unknown>) => name)).toEqual(Object.keys(source.paths));
    const schemas: readonly Named<{ schema: { description?: string } }>[] =
      read['components'].schemas.additionalProperties;
    expect(schemas.map(({ name }) => name)).toEqual(Object.keys(source.components.schemas));
    for (const { name, value } of schemas) {
      expect(value.schema.description).toBe(source.components.schemas[name].description);
    }
  });
});

describe('a schema in protobuf', () => {
  const field = { name: 'x', value: { maximum: 1.5, maxLength: 3, type: 'string', enum: ['a', 1], description: 'ä' } };

  it('keeps numbers, lists, values of any type and extensions', () => {
    const source = { definitions: { [field.name]: { ...field.value, 'x-a': { b: [1] }, additionalProperties: true } } };
    const read = decoded(V2, encodeDocument(DOCUMENT_V2, source))['definitions'].additionalProperties[0];
    expect({ ...read.value, maxLength: Number(read.value.maxLength) }).toEqual({
      maximum: 1.5,
      maxLength: 3,
      type: { value: ['string'] },
      enum: [{ yaml: '"a"\n' }, { yaml: '1\n' }],
      description: 'ä',
      vendorExtension: [{ name: 'x-a', value: { yaml: '{"b":[1]}\n' } }],
      additionalProperties: { boolean: true },
    });
  });

  it.each([
    ['text', 'a', { string: 'a' }],
    ['a number', 2, { number: 2 }],
    ['a boolean', false, { boolean: false }],
    ['an object', { a: 1 }, {}],
  ])('of version 3 contains a default that is %s', (_what, value, expected) => {
    const bytes = encodeDocument(DOCUMENT_V3, { components: { schemas: { x: { default: value } } } });
    expect(decoded(V3, bytes)['components'].schemas.additionalProperties[0].value.schema.default).toEqual(expected);
  });
});
