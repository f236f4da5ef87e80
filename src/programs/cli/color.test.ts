import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { runCommand, startCommandHarness } from '#testing/command-harness';
import { hasColors, paintState, palette } from './color.ts';

describe('colors', () => {
  it.each<[string, boolean, Record<string, string>, boolean]>([
    ['are used on a terminal', true, { TERM: 'xterm' }, true],
    ['are not used in a pipe', false, { TERM: 'xterm' }, false],
    ['are not used on a terminal without colors', true, { TERM: 'dumb' }, false],
    ['are turned off by NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['are not turned off by an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['are used in a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['are turned off by FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['are turned off by NO_COLOR in spite of FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('%s', (_what, isTerminal, env, expected) => {
    expect(hasColors(isTerminal, env)).toBe(expected);
  });

  it.each([
    ['Running', '\u001b[32mRunning\u001b[39m'],
    ['CrashLoopBackOff', '\u001b[31mCrashLoopBackOff\u001b[39m'],
    ['Starting', '\u001b[33mStarting\u001b[39m'],
    ['Stopped', 'Stopped'],
  ])('show the state %s', (state, painted) => {
    expect(paintState(state, palette(true))).toBe(painted);
    expect(paintState(state, palette(false))).toBe(state);
  });

  it('are in errors, help and lists, and change nothing else', async () => {
    const harness = await startCommandHarness();
    // The clock stands still, so that the age of the VM is the same in both lists.
    const clock = new FakeClock();
    try {
      await harness.run(['vm', 'create', 'web', '-g', 'kubevirt.io', '--wait']);
      for (const args of [
        ['vm', 'list'],
        ['vm', 'list', '-o', 'wide'],
        ['vm', '--help'],
        ['vm', 'start', 'nobody'],
        ['vn'],
      ]) {
        const plain = await harness.run(args, { clock });
        const colored = await runCommand(harness.admin, args, { clock, colors: true });
        const text = ({ out, err }: { readonly out: string; readonly err: string }) => `${out}${err}`;
        expect(text(colored)).toContain('\u001b[');
        expect(stripVTControlCharacters(text(colored))).toBe(text(plain));
      }
    } finally {
      await harness.stop();
    }
  });
});
