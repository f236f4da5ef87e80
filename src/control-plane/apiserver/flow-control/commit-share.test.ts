import { expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { AUTHENTICATED, MASTERS, type User } from '../access/user.ts';
import { CommitShare } from './commit-share.ts';

const KIB = 1024;
const named = (name: string, ...groups: string[]): User => ({ name, groups: [AUTHENTICATED, ...groups] });

function scene() {
  const clock = new FakeClock();
  const share = new CommitShare(clock, { total: 800 * KIB, perFlow: 200 * KIB, maxWaiting: 10, maxWaitMs: 1000 });
  const log: string[] = [];
  const commits: (() => void)[] = [];
  const write = async (user: User, name: string, size: number): Promise<void> => {
    try {
      await share.write(user, size, () => {
        log.push(name);
        return new Promise<void>((resolve) => commits.push(resolve));
      });
    } catch (error) {
      log.push(`${name}: ${String(error)}`);
    }
  };
  return { clock, log, commits, write };
}

test('commits the large objects of one user a few at a time, in order', async () => {
  const { clock, log, commits, write } = scene();
  for (const name of ['a1', 'a2', 'a3']) void write(named('a'), name, 100 * KIB);
  void write(named('b'), 'b1', 100 * KIB);
  expect(log).toEqual(['a1', 'a2', 'b1']);
  commits[0]?.();
  await clock.advance(0);
  expect(log).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('never delays small objects and administrators', () => {
  const { log, write } = scene();
  for (let i = 0; i < 5; i++) void write(named('a'), `large ${i}`, 200 * KIB);
  for (let i = 0; i < 5; i++) void write(named('a'), `small ${i}`, KIB);
  for (let i = 0; i < 5; i++) void write(named('admin', MASTERS), `admin ${i}`, 200 * KIB);
  expect(log).toHaveLength(11);
  expect(log.filter((name) => name.startsWith('large'))).toEqual(['large 0']);
});

test('rejects a write that waits too long with 429, and writes nothing', async () => {
  const { clock, log, write } = scene();
  for (const name of ['a1', 'a2']) void write(named('a'), name, 200 * KIB);
  await clock.advance(1000);
  expect(log).toEqual(['a1', 'a2: Error: Too many requests, please try again later.']);
});
