import type { Random } from '#platform/base/random';
import { DAY_STEPS, WEEK_STEPS } from './model.ts';

/** Courses of demand on which models are judged. They were fixed before the models were written. */
export const GENERATORS: Readonly<Record<string, (length: number, random: Random) => number[]>> = {
  'sine with noise': (length, random) => course(length, (t) => 100 + 60 * wave(t) + random.normal(0, 6)),
  'weekday and weekend': (length, random) =>
    course(length, (t) => {
      // The first day is a Monday.
      const weekend = Math.floor((t % WEEK_STEPS) / DAY_STEPS) >= 5;
      return (weekend ? 0.4 : 1) * (100 + 50 * wave(t) + 20 * wave(2 * t)) + random.normal(0, 5);
    }),
  'trend with spikes': (length, random) => {
    let spike = 0;
    return course(length, (t) => {
      spike = random.next() < 0.005 ? 60 : spike * 0.4;
      return 50 + 0.02 * t + 20 * wave(t) + spike + random.normal(0, 4);
    });
  },
  'noise alone': (length, random) => course(length, () => 100 + random.normal(0, 15)),
};

const wave = (t: number): number => Math.sin((2 * Math.PI * t) / DAY_STEPS);

const course = (length: number, at: (t: number) => number): number[] =>
  Array.from({ length }, (_, t) => Math.max(0, at(t)));
