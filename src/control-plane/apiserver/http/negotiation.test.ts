import { expect, test } from 'vitest';
import { DISCOVERY_SHAPES, NO_SHAPES, negotiate, negotiateWatch, OBJECT_SHAPES } from './negotiation.ts';

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const DISCOVERY = 'application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2';
const JSON_OBJECT = { format: 'json', as: 'object', version: 'v1' };

test.each([
  [undefined, JSON_OBJECT],
  ['*/*', JSON_OBJECT],
  ['application/yaml', { ...JSON_OBJECT, format: 'yaml' }],
  ['application/vnd.kubernetes.protobuf,application/json', JSON_OBJECT],
  ['application/vnd.kubernetes.protobuf', { ...JSON_OBJECT, format: 'protobuf' }],
  [`application/vnd.kubernetes.protobuf,${TABLE}`, { ...JSON_OBJECT, as: 'table' }],
  [`${TABLE},application/json`, { ...JSON_OBJECT, as: 'table' }],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', { ...JSON_OBJECT, as: 'table', version: 'v1beta1' }],
  ['application/json;as=Curtain;g=x;v=v1,application/json', JSON_OBJECT],
  ['application/json;charset=utf-8', JSON_OBJECT],
  ['application/json;stream=watch', JSON_OBJECT],
  ['application/json;q=0.1,application/yaml;q=0.9', { ...JSON_OBJECT, format: 'yaml' }],
  ['application/json;q=nan,application/yaml;q=0.9', JSON_OBJECT],
])('for "%s" the preferred format that is served is chosen', (accept, desired) => {
  expect(negotiate(accept)).toEqual(desired);
});

test('only discovery has an aggregated representation', () => {
  expect(negotiate(DISCOVERY, DISCOVERY_SHAPES)).toMatchObject({ as: 'discovery' });
  expect(() => negotiate(DISCOVERY)).toThrow('only the following media types are accepted');
});

test('a watch is not available as YAML', () => {
  const message =
    'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
  expect(() => negotiateWatch('application/yaml')).toThrow(message);
  expect(negotiateWatch('application/json;stream=watch')).toEqual(JSON_OBJECT);
});

test('an object without other representations is returned as itself if that is accepted too', () => {
  expect(negotiate(`${TABLE},application/json`, NO_SHAPES)).toEqual(JSON_OBJECT);
});

test.each([
  ['an unknown representation', 'application/json;as=Curtain;g=x;v=v1', OBJECT_SHAPES],
  ['a table of a resource without tables', TABLE, NO_SHAPES],
  ['an unknown format', 'text/html', OBJECT_SHAPES],
  ['a stream other than watch', 'application/json;stream=other', OBJECT_SHAPES],
])('%s is not acceptable', (_what, accept, shapes) => {
  expect(() => negotiate(accept, shapes)).toThrow('only the following media types are accepted');
});
