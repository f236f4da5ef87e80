import { describe, expect, it } from 'vitest';
import { instanceLike } from '#vm/engine/instance.fixture';
import type { CarbonAssessment } from '#vm/engine/vm-dependencies';
import { carbonStatus } from './carbon.ts';

const NOW = Date.parse('2026-11-16T02:00:00Z');
const green: CarbonAssessment = {
  condition: { status: 'True', reason: 'GreenEnergy', message: 'clean' },
  intensity: 120,
  record: {
    zone: 'DE',
    waitingSince: '2026-11-16T00:00:00Z',
    intensityWhenAsked: 400,
    startAt: '2026-11-16T02:00:00Z',
  },
};
const dirty: CarbonAssessment = {
  ...green,
  condition: { status: 'False', reason: 'WaitingForGreenEnergy', message: 'wait' },
  waits: { reason: 'WaitingForGreenEnergy', message: 'wait', until: NOW },
};
const instance = instanceLike();
const of = (view: CarbonAssessment | undefined, at: { runs?: boolean; started?: boolean }) =>
  carbonStatus(
    at.started === true ? { status: { carbon: { startedAt: '2026-11-16T01:00:00Z' } } } : {},
    { instance: at.runs === true ? instance : undefined, now: NOW },
    view,
  );

describe('the carbon status', () => {
  it('is empty for a VM without carbon awareness', () => {
    expect(of(undefined, { runs: true })).toEqual({});
  });

  it('contains the wait while it lasts', () => {
    expect(of(dirty, {})).toMatchObject({
      condition: { type: 'CarbonAware', ...dirty.condition },
      carbon: dirty.record,
    });
  });

  it('contains the intensity at the start once there is an instance', () => {
    expect(of(green, { runs: true })).toEqual({
      condition: { type: 'CarbonAware', ...green.condition },
      carbonIntensity: 120,
      carbon: {
        zone: 'DE',
        waitingSince: '2026-11-16T00:00:00Z',
        intensityWhenAsked: 400,
        startedAt: '2026-11-16T02:00:00Z',
        intensityAtStart: 120,
      },
    });
  });

  it('contains no decision while something else blocks the VM', () => {
    const { startAt: _, ...requested } = green.record ?? {};
    expect(of(green, {})).toEqual({ carbonIntensity: 120, carbon: requested });
    expect(of({ ...green, record: { zone: 'DE' } }, {})).toEqual({ carbonIntensity: 120 });
  });

  it('keeps its value from the start', () => {
    const kept = { ...green, record: { startedAt: '2026-11-16T01:00:00Z' } };
    expect(of(kept, { started: true })).toMatchObject({ carbon: kept.record });
    expect(of(kept, { started: true, runs: true })).toMatchObject({ carbon: kept.record });
  });

  it('contains no wait for a running VM', () => {
    expect(of(dirty, { runs: true })).toMatchObject({ condition: { status: 'Unknown', reason: 'RunsAlready' } });
  });
});
