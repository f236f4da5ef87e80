import { describe, expect, it } from 'vitest';
import { KUBERNETES } from './environment.ts';
import { valueOfJson } from './json-value.ts';
import { fn, type Library, method, typeConstant } from './library.ts';
import { compileProgram, type Program } from './program.ts';
import { DYN, opaque } from './types.ts';
import { Mapping, Opaque, type Value } from './values.ts';

const WHO = opaque('example.Who');
const WHO_LIBRARY: Library = {
  constants: new Map([typeConstant(WHO)]),
  overloads: [
    fn('who', 'string -> example.Who', (name: string) => new Opaque(WHO, name, name)),
    method('may', 'example.Who, string -> bool', (who: Opaque, verb: string) => `${who.key} ${verb}` === 'ann get'),
  ],
};

const environment = KUBERNETES.extend(
  new Map([
    ['object', DYN],
    ['oldObject', DYN],
    ['variables', DYN],
  ]),
  [WHO_LIBRARY],
);

function compiled(source: string): Program {
  const program = compileProgram(source, environment);
  if ('problem' in program) throw new Error(program.problem);
  return program;
}

/** Named expressions that are evaluated when another expression references them. */
class Lazy extends Mapping {
  readonly type = DYN;
  readonly size = 1;
  readonly asked: Value[] = [];
  get(key: Value): Value | undefined {
    this.asked.push(key);
    return key === 'answer' ? 42n : undefined;
  }
  keys(): Iterable<Value> {
    return ['answer'];
  }
}

describe('an environment', () => {
  const object = { spec: { replicas: 3, ratio: 0.5, tags: ['a', 'b'], none: null }, metadata: { labels: { a: 'b' } } };

  it.each([
    ['object.spec.replicas == 3', true],
    ['object.spec.ratio == 0.5', true],
    ["object.spec.tags.exists(t, t == 'b')", true],
    ["object.metadata.labels == {'a': 'b'}", true],
    ['has(object.spec.none) && object.spec.none == null', true],
    ['has(object.spec.nope)', false],
    ['oldObject == null', true],
    ["who('ann').may('get')", true],
    ["who('bob').may('get')", false],
    ["type(who('bob')) == example.Who && who('bob') == who('bob')", true],
  ])('accepts additional variables and libraries: %s', (source, value) => {
    expect(compiled(source).evaluate([valueOfJson(object), null, null])).toBe(value);
  });

  it('computes a value only if an expression uses it', () => {
    const variables = new Lazy();
    expect(compiled('true || variables.answer == 1').evaluate([null, null, variables])).toBe(true);
    expect(variables.asked).toEqual([]);
    expect(compiled('variables.answer == 42').evaluate([null, null, variables])).toBe(true);
    expect(variables.asked).toEqual(['answer']);
  });

  it('returns the variables of an expression', () => {
    expect(compiled('object.a == oldObject.a').variables).toEqual(new Set(['object', 'oldObject']));
  });

  it('has no other libraries', () => {
    const program = compileProgram("who('ann').may('get')", KUBERNETES);
    expect('problem' in program && program.problem).toContain("undeclared reference to 'who'");
  });
});
