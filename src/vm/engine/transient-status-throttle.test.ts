import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { TransientStatusThrottle } from './transient-status-throttle.ts';

function passing() {
  const clock = new FakeClock();
  const all = new TransientStatusThrottle();
  const delay = (vm: string, state: string) => all.delay(vm, state, clock.monotonic());
  const arrived = (vm: string) => all.arrived(vm);
  return { clock, states: { delay, arrived, wrote: (ms: number) => all.wrote(ms) } };
}
const names = (count: number) => Array.from({ length: count }, (_, i) => `ns/vm-${i}`);

describe('a transient state', () => {
  it('is written at once while few VMs change', () => {
    const { states } = passing();
    for (const name of names(16)) expect(states.delay(name, 'Starting')).toBe(0);
  });

  it('is not written while many VMs change, unless it lasts', async () => {
    const { clock, states } = passing();
    for (const name of names(16)) states.delay(name, 'Starting');
    expect(states.delay('ns/late', 'Starting')).toBe(100);
    await clock.advance(60);
    expect(states.delay('ns/late', 'Starting')).toBe(40);
    await clock.advance(40);
    expect(states.delay('ns/late', 'Starting')).toBe(0);
  });

  it('lasts from its own beginning, not from that of the previous one', async () => {
    const { clock, states } = passing();
    for (const name of names(17)) states.delay(name, 'Starting');
    await clock.advance(90);
    expect(states.delay('ns/vm-16', 'Stopping')).toBe(100);
  });

  it('must last longer the more VMs change, also for the last of them', async () => {
    const { clock, states } = passing();
    for (const name of names(1017)) states.delay(name, 'Starting');
    await clock.advance(100);
    expect(states.delay('ns/vm-1000', 'Starting')).toBe(3000);
    for (const name of names(1000)) states.arrived(name);
    expect(states.delay('ns/vm-1016', 'Starting')).toBe(3000);
    await clock.advance(3000);
    expect(states.delay('ns/vm-1016', 'Starting')).toBe(0);
  });

  it('is not written in a steady stream either, even if few VMs change at any time', async () => {
    const { clock, states } = passing();
    let written = 0;
    for (const name of names(500)) {
      if (states.delay(name, 'Starting') === 0) written++;
      states.arrived(name);
      await clock.advance(2);
    }
    expect(written).toBe(16);
  });

  it('is written again once few VMs change', async () => {
    const { clock, states } = passing();
    for (const name of names(50)) states.delay(name, 'Starting');
    for (const name of names(50)) states.arrived(name);
    expect(states.delay('ns/next', 'Starting')).toBe(100);
    states.arrived('ns/next');
    await clock.advance(100);
    expect(states.delay('ns/next', 'Starting')).toBe(0);
  });

  it('must last longer if writes are slow', async () => {
    const { clock, states } = passing();
    for (let i = 0; i < 50; i++) states.wrote(50);
    for (const name of names(17)) states.delay(name, 'Starting');
    await clock.advance(100);
    expect(states.delay('ns/vm-16', 'Starting')).toBeCloseTo(300, 0);
    for (let i = 0; i < 50; i++) states.wrote(1);
    expect(states.delay('ns/vm-16', 'Stopping')).toBe(100);
  });
});
