import { expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import { endedStatus, withInstancePhase } from './status.ts';

const metadata = { name: 'web', namespace: 'shop', uid: 'u', creationTimestamp: '2030-01-01T00:00:00Z' };
const vmi = { metadata } as unknown as Vmi;
const at = (second: number) => Date.UTC(2030, 0, 1, 0, 0, second);
const phasesOf = (status: NonNullable<Vmi['status']>) =>
  status.phaseTransitionTimestamps?.map(({ phase, phaseTransitionTimestamp }) => [
    phase,
    phaseTransitionTimestamp?.slice(17, 19),
  ]);

it('phase times are in the order of the lifecycle, from the creation of the instance', () => {
  expect(phasesOf(withInstancePhase({}, 'Scheduling', vmi, at(1)))).toEqual([
    ['Pending', '00'],
    ['Scheduling', '01'],
  ]);
});

it('an instance that returns to a phase has its new time', () => {
  const back = withInstancePhase(withInstancePhase({}, 'Scheduling', vmi, at(1)), 'Pending', vmi, at(2));
  expect(phasesOf(withInstancePhase(back, 'Failed', vmi, at(3)))).toEqual([
    ['Pending', '02'],
    ['Scheduling', '01'],
    ['Failed', '03'],
  ]);
});

it('no time is recorded twice', () => {
  const once = withInstancePhase({}, 'Scheduling', vmi, at(1));
  expect(withInstancePhase(once, 'Scheduling', vmi, at(2))).toBe(once);
});

it('a terminated instance is neither paused nor ready nor unscheduled', () => {
  const conditions = (['Paused', 'AgentConnected', 'PodScheduled', 'LiveMigratable'] as const).map((type) => ({
    type,
    status: 'True',
  }));
  const stood = { metadata, status: { phase: 'Running', conditions } } as unknown as Vmi;
  const { conditions: left } = endedStatus(stood, { phase: 'Failed', reason: 'NodeLost', message: 'lost' }, at(1));
  expect(left?.map(({ type, status }) => `${type} ${status}`)).toEqual(['LiveMigratable True', 'Ready False']);
});
