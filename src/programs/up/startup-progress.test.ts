import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { StartupProgress } from './startup-progress.ts';

/** Returns the output of two steps, of which the second fails. */
async function reported(live: boolean): Promise<string> {
  let text = '';
  const progress = new StartupProgress({ write: (more) => void (text += more), live, clock: new FakeClock() });
  await progress.step(
    'nodes',
    async (say) => {
      say('1 of 2 ready');
      return 2;
    },
    (count) => `${count} ready`,
  );
  const failing = progress.step('fleet', () => Promise.reject(new Error('no')), String);
  await expect(failing).rejects.toThrow('no');
  return text;
}

describe('the progress of a start', () => {
  it('is plain lines without a terminal', async () => {
    expect(await reported(false)).toBe('  ✓ nodes: 2 ready (0 ms)\n  ✗ fleet\n');
  });

  it('is one line on a terminal, overwritten until the step is done', async () => {
    const lines = (await reported(true)).split('\n').map((line) => line.split('\r\u001B[K'));
    expect(lines).toEqual([
      ['  … nodes', '  … nodes: 1 of 2 ready', '  ✓ nodes: 2 ready (0 ms)'],
      ['  … fleet', '  ✗ fleet'],
      [''],
    ]);
  });
});
