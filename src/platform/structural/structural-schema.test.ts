import { describe, expect, it } from 'vitest';
import { causeReason, fieldErrorBody } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
// Responses of a kube-apiserver v1.36.3 to each of these objects under the same schema.
import answers from './answers.data.json' with { type: 'json' };
import { compileSchema } from './structural-schema.ts';

const schema = compileSchema(answers.schema as unknown as JsonSchema);
const objectWith = (spec: unknown) => ({
  apiVersion: 'o.example.com/v1',
  kind: 'Probe',
  metadata: { name: 'p' },
  spec: structuredClone(spec),
});

const byText = (a: readonly string[], b: readonly string[]) => (a.join() < b.join() ? -1 : 1);

function answerTo(spec: unknown) {
  const object = objectWith(spec);
  const dropped = schema.prune(object);
  schema.applyDefaults(object);
  if (dropped.length > 0) return { dropped };
  const causes = schema.validate(object);
  if (causes.length === 0) return { stored: object.spec };
  return {
    causes: causes.map((cause) => [causeReason(cause), cause.field || '<nil>', fieldErrorBody(cause)]).sort(byText),
  };
}

describe('a structural schema', () => {
  it.each(answers.cases)('is applied to $spec as by the API server', ({ spec, stored, causes, refused: rejected }) => {
    const response = answerTo(spec);
    if (rejected !== undefined) {
      expect(response.dropped).toBeDefined();
      for (const path of response.dropped ?? []) expect(rejected).toContain(`unknown field "${path}"`);
    } else if (causes !== undefined) expect(response).toEqual({ causes: [...causes].sort(byText) });
    else expect(response).toEqual({ stored });
  });

  it('applies a transition rule only to an update', () => {
    const before = objectWith({ need: 'x', im: 'a' });
    const after = objectWith({ need: 'x', im: 'b' });
    expect(schema.validate(after)).toEqual([]);
    expect(schema.validate(before, before)).toEqual([]);
    expect(schema.validate(after, before)).toEqual([
      { type: 'Invalid', field: 'spec.im', value: 'b', detail: 'im immutable' },
    ]);
  });

  it('drops a __proto__ key by name, without changing any prototype', () => {
    const object = JSON.parse('{"metadata":{"name":"p","__proto__":{"x":1}},"spec":{"need":"x","__proto__":{"y":1}}}');
    expect(schema.prune(object)).toEqual(['spec.__proto__', 'metadata.__proto__']);
    expect(schema.validate(object)).toEqual([]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('drops fields of values that are not objects, and reports them', () => {
    const odd = compileSchema({
      type: 'object',
      properties: {
        word: { type: 'string' },
        words: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'integer' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
    const object = {
      word: { a: 1 },
      words: [{ b: 1 }, 'x', null],
      map: { k: [{ c: 1 }] },
      free: { anything: { at: 'all' } },
    };
    expect(odd.prune(object)).toEqual(['word.a', 'words[0].b', 'map.k[0].c']);
    expect(object).toEqual({ word: {}, words: [{}, 'x', null], map: { k: [{}] }, free: { anything: { at: 'all' } } });
    const swapped = { words: { a: 1 }, map: [{ d: 1 }] };
    expect(odd.prune(swapped)).toEqual(['words.a', 'map[0].d']);
  });

  it('does not mistake an inherited name for a field', () => {
    const odd = compileSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['constructor'],
          properties: { constructor: { type: 'string' }, toString: { type: 'string', default: 'x' } },
        },
      },
    } as never);
    const object = objectWith({});
    odd.applyDefaults(object);
    expect(object.spec).toEqual({ toString: 'x' });
    expect(odd.validate(object).map(({ field }) => field)).toEqual(['spec.constructor']);
  });

  it('limits the number of reported causes', () => {
    const object = objectWith({ need: 'x', set: Array.from({ length: 10_000 }, (_, i) => i) });
    expect(schema.validate(object).length).toBeLessThan(600);
  });
});
