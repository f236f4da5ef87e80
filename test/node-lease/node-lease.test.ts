import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeclaredLost } from '#platform/kube/node-lease';
import { runs } from '#testing/runs';
import { ModelAgent } from './agent.ts';
import { ModelOperator } from './operator.ts';
import { LeaseWorld, NODE } from './world.ts';

const SECOND = 1000;
const pause = fc.constantFrom(0, 1, 500, 1000, 3000, 9000, 19_000, 29_000, 31_000, 39_000, 41_000, 70_000, 600_000);
const who = fc.constantFrom('agent', 'agent', 'operator', 'another');
const what = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('stall' as const), who, machine: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cut off' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('slow' as const), ms: fc.constantFrom(100, 5000, 60_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('kill' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('touch lease' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete lease' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set clock' as const), ms: fc.integer({ min: -90_000, max: 90_000 }) }),
  },
);
/** An event, its duration if it has one, and the time until the next. */
const step = fc.record({ what, lasts: pause, wait: pause });

async function begun(seed: number, oneProcess = false) {
  const world = new LeaseWorld(seed);
  const clocks = { agent: world.ownClock(), operator: world.ownClock(), another: world.ownClock() };
  if (oneProcess) clocks.operator = clocks.another = clocks.agent;
  const stop = new AbortController();
  const agent = new ModelAgent(world, clocks.agent);
  const operators = (['operator', 'another'] as const).map(
    (name) => new ModelOperator(world, clocks[name], name, stop.signal),
  );
  world.server.onWrite = (lease) => {
    for (const operator of operators) void operator.sees(lease);
  };
  await world.clock.advance(5 * SECOND);
  expect(agent.runs).toBe(true);
  return { world, clocks, agent, end: () => (stop.abort(), agent.kill()) };
}

describe('a node that may be declared lost', () => {
  it('never runs a machine that runs elsewhere, whatever is suspended, disconnected or delayed', async () => {
    let replaced = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.array(step, { minLength: 2, maxLength: 20 }), async (seed, steps) => {
        const { world, clocks, agent, end } = await begun(seed);
        const { clock, server, network } = world;
        let setBack = false;
        let declared = false;
        try {
          for (const { what: each, lasts, wait } of steps) {
            const later = (undo: () => void) => void clock.timer(lasts, undo);
            if (each.do === 'stall') {
              clocks[each.who].fallAsleep(each.machine);
              if (each.who === 'agent') agent.sleeps = true;
              later(() => {
                clocks[each.who].wake();
                // After the clock was set back, only the uptime, read once a second, reveals that the process was
                // suspended.
                if (each.who === 'agent') clock.timer(setBack ? SECOND : 0, () => void (agent.sleeps = false));
              });
            }
            if (each.do === 'cut off') {
              network.cutOff.add(each.who);
              later(() => network.cutOff.delete(each.who));
            }
            if (each.do === 'slow') {
              network.slowMs = each.ms;
              later(() => void (network.slowMs = 0));
            }
            if (each.do === 'kill') {
              agent.kill();
              later(() => agent.start());
            }
            if (each.do === 'set clock') clocks.agent.set(each.ms);
            if (each.do === 'set clock' && each.ms < 0) setBack = true;
            if (each.do === 'touch lease' && server.leases.has(NODE)) {
              server.patch(NODE, { metadata: { annotations: { note: String(clock.now()) } } });
            }
            if (each.do === 'delete lease') server.leases.delete(NODE);
            // The steps are small, because even a momentary violation counts.
            for (let left = wait + 10; left > 0; left -= 500) {
              await clock.advance(Math.min(500, left));
              expect(agent.runs && world.replaced).toBe(false);
              const lease = server.leases.get(NODE);
              const lost = lease !== undefined && isDeclaredLost(lease);
              // Otherwise the next process could adopt the machine while the operator is about to replace it.
              if (declared && lease !== undefined && !lost) expect(world.claim.phase).toBe('Failed');
              declared ||= lost;
            }
          }
          if (world.replaced) replaced++;
        } finally {
          end();
        }
      }),
      { numRuns: runs(60) },
    );
    // Otherwise nothing would have been tested.
    expect(replaced).toBeGreaterThan(0);
  });

  it('continues its machine after a process with everything was suspended, however often and long', async () => {
    const sleeps = fc.array(fc.record({ ms: pause, awake: pause, machine: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer(), sleeps, async (seed, times) => {
        const { world, clocks, agent, end } = await begun(seed, true);
        try {
          for (const { ms, awake, machine } of times) {
            clocks.agent.fallAsleep(machine);
            await world.clock.advance(ms);
            clocks.agent.wake();
            await world.clock.advance(awake);
          }
          await world.clock.advance(5 * SECOND);
          expect({ runs: agent.runs, replaced: world.replaced }).toEqual({ runs: true, replaced: false });
          expect(isDeclaredLost(world.server.get(NODE))).toBe(false);
        } finally {
          end();
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('continues its machine after its node agent alone was suspended, unless it was declared lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), pause, fc.boolean(), fc.boolean(), async (seed, ms, machine, absent) => {
        const { world, clocks, agent, end } = await begun(seed);
        try {
          if (absent) for (const name of ['operator', 'another']) world.network.cutOff.add(name);
          clocks.agent.fallAsleep(machine);
          await world.clock.advance(ms);
          const declared = isDeclaredLost(world.server.get(NODE));
          // The last renewal was observed five seconds before.
          expect(declared).toBe(!absent && ms >= 36_000);
          clocks.agent.wake();
          await world.clock.advance(5 * SECOND);
          expect(agent.endedBy).toBe(declared ? 'loss' : undefined);
          expect(agent.runs).toBe(!declared);
        } finally {
          end();
        }
      }),
      { numRuns: runs(40) },
    );
  });
});
