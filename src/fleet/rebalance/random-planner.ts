import { type Planner, pickMoves } from './planner.ts';

/** Moves any VM of an over-utilized node to any under-utilized node that has the memory for it. */
export const randomPlanner: Planner = {
  id: 'random',
  plan: (fleet, situation) =>
    pickMoves(fleet, situation, (from) => {
      // Every VM is tried at most once, so that a full fleet does not cause an endless search.
      for (const vm of situation.random.shuffle(fleet.on(from))) {
        const roomy = situation.verdict.under.filter((node) => fleet.fits(vm, node));
        if (roomy.length > 0) return { vm, from, to: situation.random.pick(roomy) };
      }
      return undefined;
    }),
};
