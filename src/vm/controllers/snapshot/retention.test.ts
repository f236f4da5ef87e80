import { describe, expect, it } from 'vitest';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { retentionOf } from './retention.ts';

const at = (day: number, hour = 0) => Date.UTC(2030, 0, day, hour);
const text = (ms: number) => new Date(ms).toISOString();

function snapshot(day: number, retention?: object, phase = 'Ready', ordinal = day): Snapshot {
  return {
    metadata: { name: `s${day}`, creationTimestamp: text(at(day)) },
    spec: { ...(retention === undefined ? {} : { retention: { autoDelete: true, ...retention } }) },
    status: { phase, ordinal, ...(phase === 'Failed' ? {} : { creationTime: text(at(day, 1)) }) },
  } as never;
}

describe('a snapshot', () => {
  it('is retained forever by default', () => {
    expect(retentionOf(snapshot(1), [], at(400))).toEqual({ expired: false });
  });

  it('is retained for days after its capture', () => {
    const kept = snapshot(1, { keepDays: 2 });
    expect(retentionOf(kept, [], at(3))).toEqual({ expired: false, at: at(3, 1) });
    expect(retentionOf(kept, [], at(3, 1))).toMatchObject({ expired: true, remove: true });
  });

  it('is retained until a time, whatever the days are', () => {
    const kept = snapshot(1, { keepDays: 2, expiresAt: text(at(9)), autoDelete: false });
    expect(retentionOf(kept, [], at(8))).toEqual({ expired: false, at: at(9) });
    expect(retentionOf(kept, [], at(9))).toMatchObject({ expired: true, remove: false });
  });

  it('is retained as one of so many newest that can be restored', () => {
    const kept = snapshot(1, { keepCount: 2 });
    const newer = [snapshot(2), snapshot(3, {}, 'Failed'), snapshot(3, {}, 'Expired'), snapshot(0)];
    expect(retentionOf(kept, newer, at(4))).toEqual({ expired: false });
    expect(retentionOf(kept, [...newer, snapshot(4)], at(4))).toMatchObject({ expired: true, remove: true });
    expect(retentionOf(snapshot(4, { keepCount: 1 }), newer, at(4))).toEqual({ expired: false });
  });

  it('that failed expires by time, and not by number', () => {
    expect(retentionOf(snapshot(1, { keepCount: 1 }, 'Failed'), [snapshot(2)], at(4))).toEqual({ expired: false });
    expect(retentionOf(snapshot(1, { keepDays: 1 }, 'Failed'), [], at(4))).toMatchObject({ expired: true });
  });
});
