import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '#platform/schema/json-schema';
import { measureCpuMs } from '#testing/measure-cpu';
import { runs } from '#testing/runs';
import { compileRule, type RuleScope, ruleScope } from '../rule.ts';
import { KUBERNETES } from './environment.ts';
// Results of a kube-apiserver v1.36.3 for each expression: of its text, and of its value for one object.
import problems from './problems.data.json' with { type: 'json' };
import { compileProgram, type Program } from './program.ts';
import { compileAdapter } from './schema-value.ts';
import { DYN, listOf, STRING } from './types.ts';
import { ArrayList, CostExceededError, EvaluationError, type Value } from './values.ts';
import verdicts from './verdicts.data.json' with { type: 'json' };

const schema = verdicts.schema as unknown as JsonSchema;
const self = compileAdapter(schema, false)(verdicts.object);

function scopeOf(of: JsonSchema): RuleScope {
  const scope = ruleScope(of, false);
  if (scope === undefined) throw new Error('the schema describes nothing');
  return scope;
}

/** Returns the value of an expression, or the message of its error. */
function response(program: Program): Value {
  try {
    return program.evaluate([self, null]);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return error.message.startsWith('no such overload') ? `'${error.message}'` : error.message;
  }
}

describe('an expression', () => {
  const scope = scopeOf(schema);
  it.each(Object.entries(verdicts.verdicts))('has the same result as on the API server: %s', (source, verdict) => {
    const { program, problem } = compileRule({ rule: source }, scope);
    expect(problem).toBeUndefined();
    expect(program && response(program)).toEqual(verdict);
  });

  const other = scopeOf(problems.schema as unknown as JsonSchema);
  it.each(Object.entries(problems.problems))('is rejected as by the API server: %s', (source, problem) => {
    const compiled = compileRule({ rule: source }, other);
    const costly = (compiled.program?.estimate(other.shapes).max ?? 0) > 10_000_000;
    if (problem?.startsWith('Forbidden: estimated rule cost') === true) expect(costly).toBe(true);
    else expect(compiled.problem ?? null).toEqual(problem);
  });

  it('is rejected if it is too deep or too long, without a stack overflow', () => {
    const deep = [
      `${'('.repeat(300)}1${')'.repeat(300)} == 1`,
      `${'['.repeat(300)}${']'.repeat(300)} == []`,
      `${'true ? true : '.repeat(300)}true`,
      `${'1+'.repeat(20_000)}1 == 1`,
      `dyn({})${'.a'.repeat(20_000)} == 1`,
      `[1]${'.map(x, x)'.repeat(5_000)} == [1]`,
      `${'(1+'.repeat(200)}1${')'.repeat(200)}${'+1'.repeat(200)} == 1`,
      '1 '.repeat(60_000),
    ];
    for (const source of deep) {
      const program = compileProgram(source, KUBERNETES);
      expect('problem' in program && program.problem).toMatch(/recursion|size exceeds limit/);
    }
  });

  it('may be a long chain', () => {
    const program = compileProgram(`${'true && '.repeat(5_000)}true`, KUBERNETES);
    expect('evaluate' in program && program.evaluate([])).toBe(true);
  });
});

describe('any text', () => {
  const environment = KUBERNETES.extend(new Map([['x', DYN]]));
  const words = `x y 1 2u 1.5 'a' b"b" true null [ ] { } ( ) . , : ? - ! + * / % == != < >= && || in has( size( .all( .map(
    .filter( .a .?a [? .orValue( optional.of( .sort() .sum() .matches( .format( type( dyn( int( '%d' @ \`a\` // é ' a.b{ .optMap(
    .transformMap( x, i,v, [1,2] {'a':1}`;
  const word = fc.constantFrom(...words.split(/\s+/), '\n', ' ');

  it('is rejected with a message, or evaluated to a value or an error', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        const program = compileProgram(words.join(''), environment);
        if ('problem' in program) {
          expect(program.problem).toMatch(/^(?:compilation|program instantiation) failed: /);
          return;
        }
        expect(program.estimate(new Map()).max).toBeGreaterThanOrEqual(0);
        try {
          program.evaluate([new ArrayList([1n, 'a'])]);
        } catch (error) {
          if (!(error instanceof EvaluationError) && !(error instanceof CostExceededError)) throw error;
        }
      }),
      { numRuns: runs(5_000) },
    );
  });
});

describe('an expression that is evaluated repeatedly', () => {
  const environment = KUBERNETES.extend(new Map([['o', DYN]]));
  const evaluated = (source: string, value: Value): { readonly result: unknown; readonly cost: number } => {
    const program = compileProgram(source, environment);
    if ('problem' in program) throw new Error(program.problem);
    const answers = [1, 2, 3].map(() => {
      const tracker = { cost: 0 };
      try {
        return { result: program.evaluate([value], tracker), cost: tracker.cost };
      } catch (error) {
        return { result: (error as Error).message, cost: tracker.cost };
      }
    });
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    return answers[0] as { result: unknown; cost: number };
  };

  it('has the same result at the same cost, although literals are parsed once', () => {
    // The variable, the two parsings and the two calls cost one each.
    const cost = 5;
    expect(evaluated("quantity(o).compareTo(quantity('512Mi')) >= 0", '1Gi')).toEqual({ result: true, cost });
    expect(evaluated("quantity(o).compareTo(quantity('512Mi')) >= 0", '1Mi')).toEqual({ result: false, cost });
    expect(evaluated("isQuantity(o) && quantity(o) == quantity('x')", '1Mi').result).toMatch(/quantities must match/);
  });

  it.each([
    ["o == 'a' || 1/0 == 1 || o == 'b'", 'b', true],
    ["o == 'a' && 1/0 == 1 && o == 'b'", 'a', false],
    ["o == 'a' || (1/0 == 1 || {'k': 1}['z'] == 1)", 'b', 'division by zero'],
    ["(o == 'b' && {'k': 1}['z'] == 1) && 1/0 == 1", 'b', 'no such key: z'],
    ["o == 'b' && (o == 'a' || o == 'b') && o != 'c'", 'b', true],
    ["o && o == 'b'", 'b', 'no such overload'],
  ])('lets one operand of a chain decide despite errors of the others: %s', (source, value, result) => {
    expect(evaluated(source, value).result).toBe(result);
  });
});

describe('a costly expression', () => {
  const items = Array.from({ length: 20_000 }, (_, i) => `item-${i}`);
  const nested = Array.from({ length: 2_000 }, () => new ArrayList([new ArrayList(['x']), 'y'.repeat(500)]));
  const environment = KUBERNETES.extend(
    new Map([
      ['l', listOf(STRING)],
      ['n', DYN],
      ['s', STRING],
    ]),
  );
  const values = [new ArrayList(items), new ArrayList(nested), 'a'.repeat(1_000_000)];
  const doubling = (times: number): string => `[l]${'.map(x, x + x)'.repeat(times)}[0]`;

  it.each([
    'l.all(x, l.all(y, x != y))',
    'l.all(x, l.exists(y, l.exists(z, x + y == z)))',
    'l.map(x, l.map(y, x + y)).size() > 0',
    'l.all(x, n == n + [])',
    'l.all(x, n == n)',
    'l.all(x, n in [n])',
    'l.all(x, s.matches("(a*)*b"))',
    'l.all(x, s.matches("(.{1000})(.{900})b"))',
    'l.all(x, s.contains("aaaab"))',
    'l.all(x, s.size() > 0)',
    'l.all(x, s.split("").size() > 0)',
    'l.all(x, s.replace("a", "bb").size() > 0)',
    'l.all(x, "%s".format([l]) != "")',
    'l.all(x, sets.contains(l, l))',
    'l.all(x, l.distinct() == l)',
    'l.all(x, l.sort() == l)',
    'l.all(x, l.isSorted())',
    'l.all(x, l.join(",") != "")',
    'l.all(x, lists.range(1000000).size() > 0)',
    'lists.range(9223372036854775807).size() > 0',
    `${doubling(60)}.size() > 0`,
    `${doubling(40)}.all(x, true)`,
    `x in ${doubling(40)}`.replace('x', '"zzz"'),
    `${doubling(40)} == ${doubling(40)}`,
    `${doubling(40)}.join("") == ""`,
    `${doubling(40)}.isSorted()`,
    `${doubling(40)}.distinct().size() == 1`,
    `${doubling(40)}.indexOf("zzz") == 1`,
    `[[l]]${'.map(x, [x, x])'.repeat(30)}.flatten(100).size() > 0`,
    'l.map(x, s + s).map(x, x + x).map(x, x + x).size() > 0',
    `[s]${'.map(x, x + x)'.repeat(40)}.size() > 0`,
    'l.transformMap(i, x, l.transformMap(j, y, x + y)).size() > 0',
  ])('is stopped or finished soon: %s', (source) => {
    const program = compileProgram(source, environment);
    if ('problem' in program) throw new Error(program.problem);
    const tracker = { cost: 0 };
    let result: unknown;
    const all = measureCpuMs(() => {
      try {
        result = program.evaluate(values, tracker);
      } catch (error) {
        result = error;
      }
    });
    expect(all).toBeLessThan(10_000);
    if (typeof result !== 'boolean') expect(result).toBeInstanceOf(CostExceededError);
  });
});
