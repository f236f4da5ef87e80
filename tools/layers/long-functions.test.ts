import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { longFunctionViolations } from './long-functions.ts';

const path = 'src/vm/engine/plan-vm.ts';
/** Body of a function that has `lines` lines in all. */
const body = (lines: number) => `{\n${'  step();\n'.repeat(lines - 2)}}`;
const found = (text: string) => longFunctionViolations([{ path, text }]);

describe('long functions', () => {
  it('do not exist in this repository', () => {
    const files = globSync('src/**/*.ts').map((each) => ({ path: each, text: readFileSync(each, 'utf8') }));
    expect(longFunctionViolations(files)).toEqual([]);
  });

  it.each([
    ['plan', `function plan() ${body(61)}\n`],
    ['plan', `const plan = () => ${body(61)};\n`],
    ['plan', `const plan = async function () ${body(61)};\n`],
    ['plan', `const planner = {\n  plan() ${body(61)},\n};\n`],
    ['#plan', `class Planner {\n  #plan() ${body(61)}\n}\n`],
    ['a function', `run(() => ${body(61)});\n`],
  ])('are reported by name: %s', (name, text) => {
    expect(found(text)).toEqual([expect.stringContaining(`: ${name} has 61 lines`)]);
  });

  it('exclude functions that fit, and suites of tests', () => {
    expect(found(`function plan() ${body(60)}\nfunction other() ${body(60)}\n`)).toEqual([]);
    const text = `function suite() ${body(90)}\n`;
    const suites = ['src/vm/plan.test.ts', 'src/vm/plan.contract.ts', 'src/testing/harness.ts'];
    expect(longFunctionViolations(suites.map((each) => ({ path: each, text })))).toEqual([]);
  });
});
