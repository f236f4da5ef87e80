import { describe, expect, it } from 'vitest';
import { RetentionPolicy } from './retention.ts';

const LIMITS = { maxAge: 300_000, maxEvents: 1_000, maxBytes: 1_000_000 };
const state = (revision: number, compacted: number, bytes = 0, liveBytes = 0) => ({
  revision,
  compacted,
  kept: { events: revision - compacted, bytes, liveBytes },
});

describe('retention policy', () => {
  it('keeps everything within all limits', () => {
    const policy = new RetentionPolicy(LIMITS, 0, 1);
    expect(policy.floor(299_999, state(900, 1))).toBeUndefined();
  });

  it('releases events older than the age limit', () => {
    const policy = new RetentionPolicy(LIMITS, 0, 1);
    expect(policy.floor(100_000, state(50, 1))).toBeUndefined();
    expect(policy.floor(350_000, state(80, 1))).toBeUndefined();
    expect(policy.floor(400_000, state(90, 1))).toBe(50);
    expect(policy.floor(650_000, state(95, 50))).toBe(80);
  });

  it('treats the content of a reopened store as new', () => {
    const policy = new RetentionPolicy(LIMITS, 1_000_000, 500);
    expect(policy.floor(1_299_999, state(501, 1))).toBeUndefined();
    expect(policy.floor(1_300_000, state(502, 1))).toBe(500);
  });

  it('compacts to the maximum number of events in steps', () => {
    const policy = new RetentionPolicy(LIMITS, 0, 1);
    expect(policy.floor(0, state(1_015, 0))).toBeUndefined();
    expect(policy.floor(0, state(1_016, 0))).toBe(16);
  });

  it('releases the oldest eighth if values exceed the size limit', () => {
    const policy = new RetentionPolicy(LIMITS, 0, 1);
    expect(policy.floor(0, state(180, 100, 1_000_001))).toBe(110);
  });

  it('allows history as large as the objects themselves', () => {
    const policy = new RetentionPolicy(LIMITS, 0, 1);
    expect(policy.floor(0, state(180, 100, 1_000_001, 2_000_000))).toBeUndefined();
    expect(policy.floor(0, state(180, 100, 2_000_001, 2_000_000))).toBe(110);
  });
});
