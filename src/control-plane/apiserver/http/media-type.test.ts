import { expect, test } from 'vitest';
import { mediaTypeOf } from './media-type.ts';

test.each([
  ['application/json', 'application/json'],
  ['APPLICATION/JSON', 'application/json'],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/json;charset="utf-8";a=b', 'application/json'],
  ['application/json;', 'application/json'],
  [' application/yaml ', 'application/yaml'],
  ['x', 'x'],
  ['application/json;;;', undefined],
  [';;;', undefined],
  ['application/json;charset', undefined],
  ['application/json, application/yaml', undefined],
  ['', undefined],
])('%j has the media type %j', (header, expected) => {
  expect(mediaTypeOf(header)).toBe(expected);
});
