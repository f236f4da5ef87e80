import { describe, expect, it } from 'vitest';
import { runSteps, runStepsInTurns, type Steps } from './steps.ts';

function* threeSteps(done: string[]): Steps<number> {
  done.push('one');
  yield;
  done.push('two');
  yield;
  done.push('three');
  return 3;
}

describe('work in steps', () => {
  it('completes at once if nothing waits', () => {
    const done: string[] = [];
    expect(runSteps(threeSteps(done))).toBe(3);
    expect(done).toEqual(['one', 'two', 'three']);
  });

  it('waits for a turn between two steps, and not after the last', async () => {
    const done: string[] = [];
    const turn = Promise.withResolvers<void>();
    const working = runStepsInTurns(threeSteps(done), () => {
      done.push('turn');
      return turn.promise;
    });
    expect(done).toEqual(['one', 'turn']);
    turn.resolve();
    expect(await working).toBe(3);
    expect(done).toEqual(['one', 'turn', 'two', 'turn', 'three']);
  });

  it('fails if a step does', async () => {
    function* failing(): Steps<never> {
      yield;
      throw new Error('wrong');
    }
    expect(() => runSteps(failing())).toThrow('wrong');
    await expect(runStepsInTurns(failing(), () => undefined)).rejects.toThrow('wrong');
  });
});
