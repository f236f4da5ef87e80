import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import type { OperatorFlags } from '#programs/cli/operator';
import { resolveNames } from './resolve-names.ts';

const clock = new FakeClock();
const log = createMemoryLogger(clock);
const flags = {} as OperatorFlags;

/** Creates an API server that fails so many times, and then reports the user. */
function asking(username: string, failures = 0) {
  let left = failures;
  const request = () =>
    left-- > 0
      ? Promise.reject(new Error('refused'))
      : Promise.resolve({ status: 201, body: { status: { userInfo: { username } } } } as never);
  return { client: { request }, clock, log };
}
const forever = new AbortController().signal;

describe('the names of lease and webhooks', () => {
  it.each([
    ['system:serviceaccount:novacron-system:novacron-operator', 'novacron-operator'],
    ['kubernetes-admin', 'vimana-operator'],
    ['system:serviceaccount:odd', 'vimana-operator'],
  ])('of %s default to %s', async (user, name) => {
    expect(await resolveNames(flags, asking(user), forever)).toEqual({ leaderElectionId: name, webhookName: name });
  });

  it('are those of the flags if given', async () => {
    const user = 'system:serviceaccount:a:b';
    const some = { ...flags, leaderElectionId: 'mine' };
    expect(await resolveNames(some, asking(user), forever)).toEqual({ leaderElectionId: 'mine', webhookName: 'b' });
    const all = { ...some, webhookName: 'hooks' };
    expect(await resolveNames(all, asking(user, Number.POSITIVE_INFINITY), forever)).toEqual(all);
  });

  it('are requested until the API server responds, or the operator stops', async () => {
    const requested = resolveNames(flags, asking('system:serviceaccount:a:b', 2), forever);
    await clock.advance(4000);
    expect(await requested).toMatchObject({ leaderElectionId: 'b' });
    const stop = new AbortController();
    const never = resolveNames(flags, asking('', Number.POSITIVE_INFINITY), stop.signal);
    await clock.advance(4000);
    stop.abort();
    await expect(never).resolves.toBeDefined();
  });
});
