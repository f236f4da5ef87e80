import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Correlator, type EventDraft } from './correlator.ts';
import { TokenBucket } from './token-bucket.ts';

const MINUTE = 60_000;
const about = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'web', uid: 'u1' };
const said = (more: Partial<EventDraft> = {}): EventDraft => ({
  about,
  type: 'Normal',
  reason: 'Started',
  message: 'it has started',
  at: Date.UTC(2030, 0, 1),
  ...more,
});

function correlator(rate = { burst: 1000, everyMs: 1 }) {
  let names = 0;
  return new Correlator({ component: 'test', nameFor: (object) => `${object}.${++names}`, rate });
}

describe('a correlator', () => {
  it('creates an Event with its source, object and time', () => {
    expect(correlator().correlate(said(), 0)).toEqual({
      repeated: false,
      event: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'web.1', namespace: 'ns' },
        involvedObject: about,
        type: 'Normal',
        reason: 'Started',
        message: 'it has started',
        source: { component: 'test' },
        reportingComponent: 'test',
        reportingInstance: '',
        eventTime: null,
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:00:00Z',
        count: 1,
      },
    });
  });

  it('records cluster-scoped objects in the default namespace', () => {
    const write = correlator().correlate(said({ about: { kind: 'Node', name: 'n1', uid: 'u2' } }), 0);
    expect(write?.event.metadata.namespace).toBe('default');
  });

  it('counts repetitions, from the first to the last time', () => {
    const one = correlator();
    one.correlate(said(), 0);
    const again = one.correlate(said({ at: Date.UTC(2030, 0, 1, 0, 5) }), 5 * MINUTE);
    expect(again?.repeated).toBe(true);
    expect(again?.event).toMatchObject({
      metadata: { name: 'web.1' },
      count: 2,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:05:00Z',
    });
  });

  it.each<[string, Partial<EventDraft>]>([
    ['type', { type: 'Warning' }],
    ['reason', { reason: 'Stopped' }],
    ['message', { message: 'it has started again' }],
    ['object', { about: { ...about, uid: 'another' } }],
  ])('treats another %s as another Event', (_what, other) => {
    const one = correlator();
    one.correlate(said(), 0);
    expect(one.correlate(said(other), 0)).toMatchObject({ repeated: false, event: { count: 1 } });
  });

  it('aggregates the tenth and later messages of a reason into one Event with the latest message', () => {
    const one = correlator();
    const writes = Array.from({ length: 12 }, (_, i) => one.correlate(said({ message: `no ${i}` }), i));
    expect(writes.slice(0, 9).map((write) => write?.event.message)).toEqual(
      Array.from({ length: 9 }, (_, i) => `no ${i}`),
    );
    const names = new Set(writes.slice(9).map((write) => write?.event.metadata.name));
    expect(names.size).toBe(1);
    expect(writes[11]).toMatchObject({
      repeated: true,
      event: { message: '(combined from similar events): no 11', count: 3 },
    });
    // Individual Events are still counted individually.
    expect(one.correlate(said({ message: 'no 3' }), 20)).toMatchObject({ event: { message: 'no 3', count: 2 } });
    expect(one.correlate(said({ message: 'x', reason: 'Else' }), 20)).toMatchObject({ event: { message: 'x' } });
  });

  it('stops aggregating messages after ten minutes without any', () => {
    const one = correlator();
    for (let i = 0; i < 20; i++) one.correlate(said({ message: `no ${i}` }), i);
    expect(one.correlate(said({ message: 'a' }), 10 * MINUTE)).toMatchObject({ event: { message: /combined/ } });
    expect(one.correlate(said({ message: 'b' }), 20 * MINUTE + 1)).toMatchObject({ event: { message: 'b' } });
  });

  it('skips an object after 25 Events for five minutes, and then reports the whole count', () => {
    const one = new Correlator({ component: 'test', nameFor: (object) => object });
    const writes = Array.from({ length: 30 }, () => one.correlate(said(), 0));
    expect(writes.filter((write) => write !== undefined)).toHaveLength(25);
    expect(one.correlate(said(), 5 * MINUTE - 1)).toBeUndefined();
    expect(one.correlate(said(), 5 * MINUTE)).toMatchObject({ event: { count: 32 } });
    expect(one.correlate(said({ about: { ...about, uid: 'another' } }), 0)).toBeDefined();
  });

  it('truncates a message that Kubernetes would reject', () => {
    const write = correlator().correlate(said({ message: 'x'.repeat(2000) }), 0);
    expect(write?.event.message).toHaveLength(1024);
    expect(write?.event.message).toMatch(/x \.\.\.$/);
  });
});

describe('a token bucket', () => {
  it('never allows more in any interval than the burst plus the refill', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.nat(500), { maxLength: 200 }),
        (burst, everyMs, waits) => {
          const bucket = new TokenBucket({ burst, everyMs }, 0);
          const taken: number[] = [];
          let now = 0;
          for (const wait of waits) {
            now += wait;
            if (bucket.take(now)) taken.push(now);
          }
          for (const [i, from] of taken.entries()) {
            const until = taken.at(-1) ?? from;
            expect(taken.length - i).toBeLessThanOrEqual(burst + (until - from) / everyMs + 1e-6);
          }
        },
      ),
    );
  });
});
