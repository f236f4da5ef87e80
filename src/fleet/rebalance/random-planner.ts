import { type Planner, pickMoves } from './planner.ts';

/** Any machine of an over-utilised node goes to any under-utilised node that has the memory for it. */
export const randomPlanner: Planner = {
  id: 'random',
  plan: (fleet, situation) =>
    pickMoves(fleet, situation, (from) => {
      // Every machine is tried once at most, so that a full fleet is no endless search.
      for (const vm of situation.random.shuffle(fleet.on(from))) {
        const roomy = situation.verdict.under.filter((node) => fleet.fits(vm, node));
        if (roomy.length > 0) return { vm, from, to: situation.random.pick(roomy) };
      }
      return undefined;
    }),
};
