import { describe, expect, it } from 'vitest';
import { definedFields, hasDefinedFields } from './defined-fields.ts';

describe('defined fields', () => {
  it('leave out undefined, and keep null, zero and false', () => {
    expect(Object.keys(definedFields({ a: undefined, b: null, c: 0, d: false, e: '' }))).toEqual(['b', 'c', 'd', 'e']);
  });

  it('are undefined as a whole if there are none', () => {
    expect(hasDefinedFields({ a: undefined })).toBeUndefined();
    expect(hasDefinedFields({ a: undefined, b: 1 })).toEqual({ b: 1 });
  });
});
