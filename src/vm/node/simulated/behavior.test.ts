import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { behaviorOf, PLAIN, readBehavior } from './behavior.ts';

describe('the behavior of what runs on a simulated node', () => {
  it('has defaults', () => {
    expect(behaviorOf(undefined)).toBe(PLAIN);
    expect(behaviorOf({}, { 'vimana.io/identity': '{}', other: 'x' })).toBe(PLAIN);
  });

  it('is requested by annotations, of which the first source takes precedence', () => {
    const found = behaviorOf(
      { 'vimana.io/start-delay': '1m30s', 'vimana.io/guest-agent': 'false' },
      { 'vimana.io/start-delay': '9h', 'vimana.io/fail': 'oom', 'vimana.io/dirty-rate': '50Mi' },
    );
    expect(found).toEqual({
      ...PLAIN,
      startDelayMs: 90_000,
      guestAgent: false,
      fail: 'oom',
      dirtyRate: 50 * 2 ** 20,
    });
    expect(behaviorOf({ 'vimana.io/shutdown-duration': 'never' }).shutdownMs).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    ['start-delay', 'soon'],
    ['start-delay', '-5s'],
    ['fail', 'badly'],
    ['fail-times', '1.5'],
    ['exit-code', '256'],
    ['readiness', 'yes'],
    ['memory-utilization', '1.1'],
    ['dirty-rate', 'fast'],
  ])('ignores %s %s, and reports that', (name, text) => {
    const annotation = `vimana.io/${name}`;
    const { behavior, problems } = readBehavior({ [annotation]: text, 'vimana.io/boot-time': '1s' });
    expect(behavior).toEqual({ ...PLAIN, bootMs: 1000 });
    expect(problems.map((problem) => problem.annotation)).toEqual([annotation]);
    expect(problems[0]?.message).toContain(text);
  });

  it('is documented in one table, for the code and the reference', () => {
    const rows = (path: string) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.replace(/^ \* /, '').replaceAll('`', '').trim())
        .filter((line) => line.startsWith('| vimana.io/'));
    const table = rows('src/vm/node/simulated/behavior.ts');
    expect(table.length).toBeGreaterThan(10);
    expect(rows('docs/reference/simulated-nodes.md')).toEqual(table);
  });
});
