import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { listText, type TextFormat } from './list-text.ts';
import { YAML_OPTIONS } from './response.ts';

const FIELDS = ['items', 'rows'] as const;
const head = { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, columnDefinitions: [{ name: 'Name' }] };

/** Formats the list as one value. */
const AS_ONE: Readonly<Record<TextFormat, (value: object) => string>> = {
  json: (value) => JSON.stringify(value),
  pretty: (value) => JSON.stringify(value, null, 2),
  yaml: (value) => stringify(value, YAML_OPTIONS),
};

function textOf(items: readonly unknown[], field: (typeof FIELDS)[number], format: TextFormat): string {
  const texts = items.map((item) => JSON.stringify(item));
  const response = listText({ status: 200, head: field === 'rows' ? table : head, field, items: texts }, format);
  if ('body' in response) return response.body;
  if (!('parts' in response)) throw new Error('a list is a text or parts of one');
  const parts = [...response.parts];
  expect(parts.length).toBeGreaterThan(1);
  return parts.join('');
}

describe.each(['json', 'pretty', 'yaml'] as const)('a list as %s', (format) => {
  test('equals the list formatted as one object', () => {
    const things = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });
    const property = fc.property(things, fc.constantFrom(...FIELDS), (made, field) => {
      const items = JSON.parse(JSON.stringify(made)) as object[];
      const whole = { ...(field === 'rows' ? table : head), [field]: items };
      expect(textOf(items, field, format)).toBe(AS_ONE[format](whole));
    });
    fc.assert(property);
  });

  test('is formatted in parts if it is long', () => {
    const items = Array.from({ length: 300 }, (_, i) => ({ metadata: { name: `n-${i}` }, data: 'x'.repeat(1_000) }));
    let taken = 0;
    const texts = items.values().map((item) => {
      taken++;
      return JSON.stringify(item);
    });
    const response = listText({ status: 200, head, field: 'items', items: texts }, format);
    expect('parts' in response).toBe(true);
    expect(taken).toBeLessThan(200);
    expect(textOf(items, 'items', format)).toBe(AS_ONE[format]({ ...head, items }));
  });

  test('completes items whose text lacks the opening brace', () => {
    const items = [{ a: 1 }, { b: 'x' }];
    const texts = items.map((item) => JSON.stringify(item).slice(1));
    const response = listText({ status: 200, head, field: 'items', items: texts, opening: '{' }, format);
    expect(response).toMatchObject({ body: AS_ONE[format]({ ...head, items }) });
  });
});

test('a long item of a list is a part of its own, so that it is not copied', () => {
  const items = ['short', 'x'.repeat(100_000), 'y'.repeat(100_000), 'short'].map((text) => JSON.stringify({ text }));
  const texts = items.map((text) => text.slice(1));
  const response = listText({ status: 200, head, field: 'items', items: texts, opening: '{' }, 'json');
  const parts = 'parts' in response ? [...response.parts] : [];
  expect(parts.filter((part) => part.length > 1_000)).toEqual([texts[1], texts[2]]);
  expect(parts.join('')).toBe(`${JSON.stringify(head).slice(0, -1)},"items":[${items.join()}]}`);
});
