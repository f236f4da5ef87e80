import { describe, expect, it } from 'vitest';
import { validateMeta } from './object-meta.ts';

const BAD = {
  labels: { 'a b': 'c' },
  annotations: { 'a b': 'c' },
  finalizers: ['a b'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: '', uid: 'u' }],
};
const fieldsOf = (meta: unknown, before?: unknown) => validateMeta(meta, { before }).map(({ field }) => field);

describe('the metadata of an updated object', () => {
  const all = ['metadata.labels', 'metadata.annotations', 'metadata.finalizers', 'metadata.ownerReferences.name'];

  it('is validated if it differs', () => {
    expect(fieldsOf({ name: 'a', ...BAD })).toEqual(all);
    expect(fieldsOf({ name: 'a', ...BAD }, { name: 'a' })).toEqual(all);
    expect(fieldsOf({ name: 'a', ...structuredClone(BAD) }, { name: 'a', ...BAD })).toEqual(all);
    expect(fieldsOf({ name: 'A_', labels: {} }, { name: 'a', labels: {} })).toEqual(['metadata.name']);
    expect(fieldsOf({ name: 'a', labels: { a: 1 } }, { name: 'a' })).toEqual(['metadata.labels.a']);
  });

  it('is not validated if it is the same', () => {
    const before = { name: 'a', ...BAD };
    expect(fieldsOf({ ...before }, before)).toEqual([]);
    expect(fieldsOf({ ...before, labels: { 'a b': 'c' } }, before)).toEqual(['metadata.labels']);
  });

  it('requires a name even if nothing changes', () => {
    expect(fieldsOf({}, {})).toEqual(['metadata.name']);
    expect(fieldsOf(undefined, undefined)).toEqual(['metadata.name']);
  });

  it.each([[[]], ['text'], [7]])('cannot be %j', (meta) => {
    expect(fieldsOf(meta, { name: 'a' })).toEqual(['metadata']);
    expect(fieldsOf(meta)).toEqual(['metadata']);
  });
});
