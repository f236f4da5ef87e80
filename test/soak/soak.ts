import { clearFaults, runRandomAction } from '#testing/soak/random-action';
import { startSoakHarness } from '#testing/soak/soak-harness';
import { faultsOf } from './faults.ts';

const MINUTE = 60_000;
/** Duration of the faults, and of the recovery. */
const TROUBLE = Number(process.env['VIMANA_SOAK_MINUTES'] ?? 60) * MINUTE;
const REST = 20 * MINUTE;

/** Runs one harness. Returns its problems at the end with a log of all actions, or nothing if there are none. */
export async function soak(seed: string): Promise<string[]> {
  const world = await startSoakHarness(seed);
  const story: string[] = [];
  try {
    const { clock, random } = world;
    const end = clock.now() + TROUBLE;
    await clock.advance(5000);
    while (clock.now() < end && world.machines.doubled.length === 0) {
      const at = new Date(clock.now()).toISOString().slice(11, 23);
      story.push(`${at} ${await runRandomAction(world)}`);
      await clock.advance(random.pick([0, 20, 500, 2000, 10_000, 45_000, 90_000]));
    }
    const twice = world.machines.doubled.map((what) => `ran twice: ${what}`);
    if (twice.length > 0) return [...twice, ...story];
    await clearFaults(world);
    await clock.advance(REST);
    const wrong = await faultsOf(world);
    return wrong.length === 0 ? [] : [...wrong, ...story];
  } finally {
    await world.stop();
  }
}
