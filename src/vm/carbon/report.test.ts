import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { emissionsOf, gibOf } from './report.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-16T12:00:00Z');
const ago = (hours: number) => new Date(NOW - hours * HOUR).toISOString();
const POWER = { idleWattsPerCpu: 0, busyWattsPerCpu: 100, wattsPerGib: 0, pue: 1 };
const machine = (status: VirtualMachine['status']) =>
  ({ spec: { cpus: 10, memory: '8Gi', running: true }, status }) as unknown as VirtualMachine;

describe('the emissions of a VM', () => {
  it('are its power during its run, at the load and the intensity in its status', () => {
    const status = {
      phase: 'Running',
      startTime: ago(2),
      carbonIntensity: 300,
      resources: { cpu: { usage: '20%' } },
    } as const;
    expect(emissionsOf(machine(status), POWER, NOW)).toMatchObject({ watts: 200, runningMs: 2 * HOUR, grams: 120 });
  });

  it('are zero while it does not run, and unknown if the intensity is', () => {
    const stopped = machine({ phase: 'Stopped', startTime: ago(2), carbonIntensity: 300 });
    expect(emissionsOf(stopped, POWER, NOW)).toMatchObject({ watts: 0, grams: 0 });
    expect(emissionsOf(machine({ phase: 'Running', startTime: ago(2) }), POWER, NOW).grams).toBeUndefined();
  });

  it('are compared with those at the requested time, for as long as it had waited', () => {
    const carbon = {
      zone: 'DE',
      waitingSince: ago(4),
      startedAt: ago(3),
      intensityWhenAsked: 400,
      intensityAtStart: 100,
    };
    const status = { phase: 'Running', startTime: ago(3), carbonIntensity: 100, carbon } as const;
    expect(emissionsOf(machine(status), POWER, NOW)).toMatchObject({ zone: 'DE', waitedMs: HOUR, savedGrams: 150 });
    const early = { ...status, startTime: ago(0.5), carbon: { ...carbon, startedAt: ago(0.5) } };
    expect(emissionsOf(machine(early), POWER, NOW)).toMatchObject({ waitedMs: 3.5 * HOUR, savedGrams: 75 });
  });

  it('save nothing while it still waits', () => {
    const carbon = { waitingSince: ago(1), intensityWhenAsked: 400 };
    expect(emissionsOf(machine({ phase: 'Pending', carbon }), POWER, NOW)).toMatchObject({
      waitedMs: HOUR,
      savedGrams: 0,
    });
  });

  it.each([
    ['8Gi', 8],
    ['1536Mi', 1.5],
    ['nonsense', 0],
  ])('count memory of %s as %d GiB', (text, gib) => {
    expect(gibOf(text)).toBe(gib);
  });
});
