import { describe, expect, test } from 'vitest';
import recorded from './field-error.data.json' with { type: 'json' };
import {
  causeReason,
  child,
  duplicate,
  fieldErrorBody,
  forbidden,
  formatFieldError,
  index,
  internalError,
  invalid,
  key,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';

describe('formatFieldError', () => {
  // The table was recorded from k8s.io/apimachinery v0.36.3.
  test.each(recorded)('prints the value $value as the API server does', (row) => {
    expect(formatFieldError(invalid('spec.x', row.value, 'd'))).toBe(row.invalid);
    expect(formatFieldError(typeInvalid('spec', row.value, ''))).toBe(row.typeInvalid);
    expect(formatFieldError(duplicate(index('spec.disks', 1), row.value))).toBe(row.duplicate);
    expect(formatFieldError(notFound(key('spec', 'a/b'), row.value))).toBe(row.notFound);
    expect(formatFieldError(notSupported('spec', row.value, ['b', 'c"d']))).toBe(row.notSupported);
  });

  test.each([
    [required('spec.y', 'detail'), 'spec.y: Required value: detail'],
    [required('spec.y'), 'spec.y: Required value'],
    [forbidden('spec', 'no'), 'spec: Forbidden: no'],
    [tooLong('spec', 63), 'spec: Too long: may not be more than 63 bytes'],
    [tooLong('spec', 1), 'spec: Too long: may not be more than 1 byte'],
    [tooLong('spec', -1), 'spec: Too long: value is too long'],
    [tooMany('spec', 5, 3), 'spec: Too many: 5: must have at most 3 items'],
    [tooMany('spec', 2, 1), 'spec: Too many: 2: must have at most 1 item'],
    [tooMany('spec', -1, -1), 'spec: Too many: has too many items'],
    [internalError('spec', 'boom'), 'spec: Internal error: boom'],
    [notSupported('spec', 'x', []), 'spec: Unsupported value: "x"'],
    [invalid('', 'x', 'd'), '<nil>: Invalid value: "x": d'],
    [invalid('spec', undefined, 'd'), 'spec: Invalid value: d'],
    [invalid('spec', 123456789, 'd'), 'spec: Invalid value: 123456789: d'],
    [invalid('spec', 9007199254740993n, 'd'), 'spec: Invalid value: 9007199254740993: d'],
    [
      invalid('spec.cpus', 0, 'should be greater than or equal to 1'),
      'spec.cpus: Invalid value: 0: should be greater than or equal to 1',
    ],
  ])('formats %o as %s', (error, text) => {
    expect(formatFieldError(error)).toBe(text);
  });

  test('prints a long value in full, as the API server does', () => {
    expect(formatFieldError(invalid('spec', 'x'.repeat(5000), ''))).toHaveLength(
      'spec: Invalid value: ""'.length + 5000,
    );
  });

  test('without the field is the body', () => {
    expect(fieldErrorBody(duplicate('spec.disks[1]', 'root'))).toBe('Duplicate value: "root"');
  });
});

test('every error type has the reason of its StatusCause', () => {
  const errors = [
    required('a'),
    invalid('a', 1, ''),
    notSupported('a', 1, []),
    duplicate('a', 1),
    forbidden('a', ''),
    tooLong('a', 1),
    tooMany('a', 1, 1),
    typeInvalid('a', 1, ''),
    notFound('a', 1),
    internalError('a', ''),
  ];
  expect(errors.map(causeReason)).toEqual([
    'FieldValueRequired',
    'FieldValueInvalid',
    'FieldValueNotSupported',
    'FieldValueDuplicate',
    'FieldValueForbidden',
    'FieldValueTooLong',
    'FieldValueTooMany',
    'FieldValueTypeInvalid',
    'FieldValueNotFound',
    'InternalError',
  ]);
});

test('paths are formatted as by Kubernetes', () => {
  expect(child(index(child(child('', 'spec'), 'disks'), 0), 'name')).toBe('spec.disks[0].name');
  expect(key(child(child('', 'metadata'), 'labels'), 'a/b')).toBe('metadata.labels[a/b]');
  expect(index('', 2)).toBe('[2]');
});
