import { expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { SubjectAccess } from './subject-access.ts';

const requested = { verb: 'operate', group: 'kubevirt.io', resource: 'virtualmachineinstances', namespace: 'x' };

function access(allowed: (user: string) => boolean) {
  const clock = new FakeClock();
  const users: string[] = [];
  const client = {
    request: async ({ body }: { body?: unknown }) => {
      const { spec } = body as { spec: { user: string; resourceAttributes: object } };
      expect(spec.resourceAttributes).toEqual(requested);
      users.push(spec.user);
      return { status: 201, body: { status: { allowed: allowed(spec.user) } } };
    },
  };
  const reviews = new SubjectAccess(client, clock);
  const { signal } = new AbortController();
  return { clock, users, may: (user: string) => reviews.mayDo({ user, groups: [] }, requested, signal) };
}

it('caches the decision of the API server for each subject', async () => {
  const { users, may, clock } = access((user) => user === 'operator');
  for (let i = 0; i < 3; i++) {
    expect(await may('operator')).toBe(true);
    expect(await may('jane')).toBe(false);
  }
  expect(users).toEqual(['operator', 'jane']);
  await clock.advance(60_000);
  expect(await may('operator')).toBe(true);
  expect(await may('jane')).toBe(false);
  expect(users).toEqual(['operator', 'jane', 'jane']);
  await clock.advance(300_000);
  expect(await may('operator')).toBe(true);
  expect(users).toEqual(['operator', 'jane', 'jane', 'operator']);
});
