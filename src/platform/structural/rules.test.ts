import { describe, expect, it } from 'vitest';
import type { CelRule, JsonSchema } from '#platform/schema/json-schema';
import { compileSchema } from './structural-schema.ts';

const text: JsonSchema = { type: 'string' };

function validator(spec: JsonSchema, ...rules: CelRule[]) {
  const schema = compileSchema({
    type: 'object',
    properties: { spec: { ...spec, 'x-kubernetes-validations': rules } },
  });
  const objectWith = (value: unknown) => ({ apiVersion: 'o/v1', kind: 'Probe', metadata: { name: 'p' }, spec: value });
  return (value: unknown, old?: unknown) =>
    schema.validate(objectWith(value), old === undefined ? undefined : objectWith(old));
}

describe('a rule', () => {
  it('uses its message expression, and its message if that has no result', () => {
    const spec: JsonSchema = { type: 'object', properties: { a: text, b: text } };
    const message = 'plain';
    const say = (messageExpression: string, value: unknown) =>
      validator(spec, { rule: 'false', message, messageExpression })(value).map(({ detail }) => detail);
    expect(say('"a is " + self.a', { a: 'x' })).toEqual(['a is x']);
    expect(say('" " + self.a + " "', { a: 'x' })).toEqual(['x']);
    expect(say('self.b', { a: 'x' })).toEqual(['plain']);
    expect(say('self.a', { a: '  ' })).toEqual(['plain']);
    expect(say('self.a', { a: 'x\ny' })).toEqual(['plain']);
    expect(say('self.a', { a: 'x'.repeat(6_000) })).toEqual(['plain']);
  });

  it('that exceeds the cost limit ends the evaluation of all rules', () => {
    const validate = validator(
      { type: 'object', properties: { l: { type: 'array', items: text } } },
      { rule: 'self.l.all(x, self.l.all(y, self.l.all(z, x + y != z)))', message: 'cube' },
      { rule: 'false', message: 'never seen' },
    );
    expect(validate({ l: Array.from({ length: 300 }, (_, i) => `i${i}`) })).toEqual([
      {
        type: 'Invalid',
        field: 'spec',
        value: 'object',
        detail:
          "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: cube",
      },
    ]);
    expect(validate({ l: ['a'] }).map(({ detail }) => detail)).toEqual(['never seen']);
  });

  it('fails if earlier ones have used the budget', () => {
    const items = Array.from({ length: 250 }, (_, i) => `i${i}`);
    const costly = { rule: 'self.l.all(x, self.l.all(y, x + "z" != y))', message: 'square' };
    const validate = validator(
      { type: 'object', properties: { l: { type: 'array', items: text } } },
      ...Array.from({ length: 40 }, () => costly),
      { rule: 'false', message: 'never seen' },
    );
    expect(validate({ l: items }).map(({ detail }) => detail)).toEqual([
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });

  it('can access the name of the object and of embedded resources, and no other metadata', () => {
    const schema = compileSchema({
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true } },
      'x-kubernetes-validations': [{ rule: 'self.metadata.name == self.spec.metadata.name', message: 'same name' }],
    });
    const object = (name: string) => ({
      apiVersion: 'o/v1',
      kind: 'Probe',
      metadata: { name: 'a' },
      spec: { apiVersion: 'v1', kind: 'Pod', metadata: { name } },
    });
    expect(schema.validate(object('a'))).toEqual([]);
    expect(schema.validate(object('b')).map(({ detail, field }) => [field, detail])).toEqual([['', 'same name']]);
  });

  it('that does not compile rejects every object instead of being ignored', () => {
    const validate = validator({ type: 'object', properties: { a: text } }, { rule: 'self.b == 1' });
    expect(validate({ a: 'x' })[0]?.detail).toMatch(/^rule compile error: compilation failed: .*undefined field 'b'/);
  });

  it('finds no fields with names of inherited properties', () => {
    const spec: JsonSchema = { type: 'object', additionalProperties: text };
    const validate = validator(spec, { rule: '!("constructor" in self) && !has(self.toString)', message: 'clean' });
    expect(validate({ a: 'x' })).toEqual([]);
    expect(validate(JSON.parse('{"constructor":"x"}')).map(({ detail }) => detail)).toEqual(['clean']);
  });
});
