import { describe, expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { AUTHENTICATED, MASTERS, type User } from '../access/user.ts';
import { flowOf } from './flow.ts';
import { FlowControl, type FlowLimitSet } from './flow-control.ts';
import { ThreadShare } from './thread-share.ts';

const named = (name: string, ...groups: string[]): User => ({ name, groups: [AUTHENTICATED, ...groups] });
const PATH = '/api/v1/pods';

describe('the flow', () => {
  test.each([
    ['an administrator', named('admin', MASTERS), PATH, undefined],
    ['a probe', named('system:anonymous'), '/readyz', undefined],
    ['a single probe check', named('system:anonymous'), '/livez/ping', undefined],
    ['a path that only starts like a probe', named('eve'), '/readyzz', 'user eve'],
    ['a user', named('eve'), PATH, 'user eve'],
    ['a node', named('system:node:n1', 'system:nodes'), PATH, 'user system:node:n1'],
    ['a service account', named('system:serviceaccount:shop:web'), PATH, 'namespace shop'],
    [
      'a system service account',
      named('system:serviceaccount:kube-system:gc'),
      PATH,
      'user system:serviceaccount:kube-system:gc',
    ],
  ])('of %s', (_title, user, path, expected) => {
    expect(flowOf(user, path)).toBe(expected);
  });
});

const flowControl = (clock: FakeClock, own: Partial<FlowLimitSet>) =>
  new FlowControl(clock, new ThreadShare(clock), own);

const limits = { total: 3, perFlow: 2, maxWaiting: 1, maxWaitMs: 1000 };

describe('FlowControl', () => {
  test('rejects a request with 429 and Retry-After, and counts it', async () => {
    const control = flowControl(new FakeClock(), { seats: limits });
    for (let i = 0; i < 3; i++) void control.admit(named('eve'), PATH);
    expect(() => control.admit(named('eve'), PATH)).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({ code: 429, details: { retryAfterSeconds: 1 } }) as unknown,
      }),
    );
    expect(control.admit(named('bob'), PATH)).not.toBeInstanceOf(Promise);
    expect(control.status).toEqual({ executing: 3, waiting: 1, rejected: { 'queue-full': 1, 'time-out': 0 } });
  });

  test('never rejects administrators and probes', () => {
    const control = flowControl(new FakeClock(), { seats: { ...limits, total: 1, perFlow: 1, maxWaiting: 0 } });
    void control.admit(named('eve'), PATH);
    for (let i = 0; i < 100; i++) {
      expect(control.admit(named('admin', MASTERS), PATH)).not.toBeInstanceOf(Promise);
      expect(control.admit(named('system:anonymous'), '/readyz')).not.toBeInstanceOf(Promise);
    }
    expect(() => control.admit(named('eve'), PATH)).toThrow('Too many requests');
  });

  test('holds no seat while the body is still arriving', async () => {
    const control = flowControl(new FakeClock(), { seats: { ...limits, perFlow: 1 } });
    const first = await control.admit(named('eve'), PATH);
    const body = Promise.withResolvers<Buffer>();
    const received = first.receive(undefined, () => body.promise);
    const second = control.admit(named('eve'), PATH);
    expect(second).not.toBeInstanceOf(Promise);
    (await second).finish();
    body.resolve(Buffer.from('done'));
    expect((await received).toString()).toBe('done');
    expect(control.status.executing).toBe(1);
    first.finish();
    expect(control.status.executing).toBe(0);
  });

  test('releases the seat of a disconnected client once its body has arrived', async () => {
    const clock = new FakeClock();
    const control = flowControl(clock, { seats: limits });
    let gone = false;
    const ticket = await control.admit(named('eve'), PATH, () => gone);
    const received = ticket.receive(undefined, async () => {
      gone = true;
      return Buffer.from('{}');
    });
    await expect(received).rejects.toThrow('the client disconnected');
    expect(() => ticket.work(1)).toThrow('the client disconnected');
    ticket.finish();
    expect(control.status.executing).toBe(0);
  });

  test('limits how many bodies of one user may be arriving', async () => {
    const MIB = 1024 * 1024;
    const clock = new FakeClock();
    const control = flowControl(clock, { bodies: { ...limits, total: 4 * MIB, perFlow: MIB } });
    let reading = 0;
    const send = async (user: string) => {
      const ticket = await control.admit(named(user), PATH);
      return await ticket.receive(10, () => {
        reading++;
        return new Promise<Buffer>(() => {});
      });
    };
    void send('eve');
    void send('eve');
    const third = expect(send('eve')).rejects.toThrow('Too many requests');
    await clock.advance(0);
    expect(reading).toBe(2);
    void send('bob');
    await clock.advance(0);
    expect(reading).toBe(3);
    await clock.advance(limits.maxWaitMs);
    await third;
  });

  test('limits the watches of one user', async () => {
    const control = flowControl(new FakeClock(), { watches: { ...limits, maxWaiting: 0 } });
    const ticket = await control.admit(named('eve'), PATH);
    const end = ticket.beginStream();
    ticket.beginStream();
    expect(() => ticket.beginStream()).toThrow('Too many requests');
    end();
    expect(() => ticket.beginStream()).not.toThrow();
  });
});

describe('handshakes', () => {
  function scene() {
    const clock = new FakeClock();
    const control = flowControl(clock, { handshakes: { ...limits, maxWaiting: 5 } });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const attempt = async (address: string): Promise<void> => {
      try {
        ends.push(await control.beginHandshake(address));
        begun.push(address);
      } catch (error) {
        begun.push(String(error));
      }
    };
    const begin = (address: string): void => void attempt(address);
    return { clock, begun, ends, begin };
  }

  test('of one address wait for each other, and do not delay those of another', async () => {
    const { clock, begun, ends, begin } = scene();
    for (const address of ['a', 'a', 'a', 'b']) begin(address);
    await clock.advance(0);
    expect(begun).toEqual(['a', 'a', 'b']);
    ends[0]?.();
    ends[0]?.();
    await clock.advance(0);
    expect(begun).toEqual(['a', 'a', 'b', 'a']);
  });

  test('that never complete delay others only briefly', async () => {
    const { clock, begun, begin } = scene();
    for (let i = 0; i < 6; i++) begin('a');
    await clock.advance(24);
    expect(begun).toHaveLength(2);
    await clock.advance(1);
    expect(begun).toHaveLength(4);
    await clock.advance(25);
    expect(begun).toHaveLength(6);
    await clock.advance(25);
    expect(clock.pending).toBe(0);
  });

  test('are not started if too many wait', async () => {
    const { clock, begun, begin } = scene();
    for (let i = 0; i < 8; i++) begin('a');
    await clock.advance(0);
    expect(begun).toEqual(expect.arrayContaining(['FlowLimitError: rejected by flow control: queue-full']));
  });
});
