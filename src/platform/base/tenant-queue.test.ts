import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TenantQueue } from './tenant-queue.ts';

const settled = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

/** Creates a queue with jobs that run until they are ended. */
function queueOf(total = 4, perTenant = 2) {
  const queue = new TenantQueue({ total, perTenant });
  const open = new Map<string, () => void>();
  const began: string[] = [];
  return {
    open,
    began,
    add: (name: string, tenant: string) =>
      queue.add(() => {
        began.push(name);
        return new Promise<void>((resolve) => open.set(name, resolve));
      }, tenant),
    end: async (name: string) => {
      open.get(name)?.();
      open.delete(name);
      await settled();
    },
  };
}

describe('a queue of several tenants', () => {
  it('reserves a slot for tenants other than one with many slow jobs', () => {
    const { add, began } = queueOf();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) add(name, 'a');
    expect(began).toEqual(['a1', 'a2']);
    add('b1', 'b');
    expect(began).toEqual(['a1', 'a2', 'b1']);
  });

  it('starts jobs of each tenant in turn', async () => {
    const { add, began, end } = queueOf(1, 1);
    for (const name of ['a1', 'a2', 'a3']) add(name, 'a');
    for (const name of ['b1', 'b2']) add(name, 'b');
    for (const name of ['a1', 'b1', 'a2', 'b2']) await end(name);
    expect(began).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('runs a shared job once, in the turn of its first tenant', async () => {
    const { add, began, end } = queueOf();
    for (const name of ['a1', 'a2']) add(name, 'a');
    const shared = add('shared', 'a');
    expect(began).not.toContain('shared');
    shared.join('b');
    expect(began).toEqual(['a1', 'a2', 'shared']);
    await end('a1');
    shared.join('c');
    await end('shared');
    expect(began).toEqual(['a1', 'a2', 'shared']);
  });

  it('runs no job that all its tenants have left', async () => {
    const { add, began, end } = queueOf(1, 1);
    add('a1', 'a');
    const left = add('a2', 'a');
    const desired = add('a3', 'a');
    desired.join('b');
    desired.leave('a');
    left.leave('a');
    await end('a1');
    expect(began).toEqual(['a1', 'a3']);
  });

  it('never exceeds its limits, and finally runs all jobs', async () => {
    const jobs = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        jobs,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        async (tenants, total, each) => {
          const { add, open, began, end } = queueOf(total, each);
          for (const [i, tenant] of tenants.entries()) add(`${tenant}${i}`, tenant);
          while (open.size > 0) {
            expect(open.size).toBeLessThanOrEqual(total);
            for (const tenant of 'abc')
              expect([...open.keys()].filter((name) => name.startsWith(tenant)).length).toBeLessThanOrEqual(each);
            const [first = ''] = open.keys();
            await end(first);
          }
          expect(new Set(began).size).toBe(tenants.length);
        },
      ),
    );
  });
});
