import { describe, expect, it } from 'vitest';
import { NEW_PROBATION, type Probation, qualityOf, withIssued, withScore } from './probation.ts';

/** Issues and scores forecasts that miss by these amounts. */
function after(start: Probation, count: number, miss: number, naive: number, isSaturated = false): Probation {
  let probation = start;
  for (let i = 0; i < count; i++) {
    const step = probation.scored + 1;
    probation = withIssued(probation, { step, mean: 100 + miss, upper: 110, naive: [100 + naive, 100 - naive] });
    probation = withScore(probation, step, 100, isSaturated);
  }
  return probation;
}

describe('a forecast on probation', () => {
  it('is used once it was clearly better for three hours', () => {
    expect(after(NEW_PROBATION, 35, 1, 10).used).toBe(false);
    expect(after(NEW_PROBATION, 36, 1, 10).used).toBe(true);
    expect(after(NEW_PROBATION, 100, 9.5, 10).used).toBe(false);
  });

  it('stays in use while it is not worse, and no longer', () => {
    const good = after(NEW_PROBATION, 40, 1, 10);
    expect(after(good, 400, 9.5, 10).used).toBe(true);
    const bad = after(good, 400, 30, 10);
    expect(bad.used).toBe(false);
    expect(after(bad, 400, 9.5, 10).used).toBe(false);
  });

  it('is not blamed for demand that could not be served', () => {
    const probation = after(NEW_PROBATION, 40, 50, 0, true);
    expect(probation.error).toBe(0);
    // A naive forecast that repeats what could be served is not known to be wrong either.
    expect(probation.used).toBe(false);
  });

  it('reports its quality', () => {
    expect(qualityOf(NEW_PROBATION)).toBeUndefined();
    expect(qualityOf(after(NEW_PROBATION, 40, 1, 10))).toEqual({ error: 0.01, naiveError: 0.1, coverage: 1 });
  });

  it('scores only what was issued', () => {
    const issued = withIssued(NEW_PROBATION, { step: 5, mean: 1, upper: 2, naive: [1] });
    expect(withScore(issued, 4, 1, false).scored).toBe(0);
    expect(withScore(issued, 6, 1, false)).toMatchObject({ scored: 0, issued: [] });
  });
});
