import { describe, expect, it } from 'vitest';
import type { Operation } from './operation.ts';
import { blockingOperation, nextInQueue, runnableOperations } from './operation-queue.ts';

const NONE = { started: new Set<string>(), isBlocked: () => false };

const operation = (name: string, { at = 0, kind = 'stop', phase = 'Pending', version = '7', order = '' } = {}) =>
  ({
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      resourceVersion: version,
      creationTimestamp: `2030-01-01T00:00:0${at}Z`,
    },
    spec: { operation: kind },
    status: { phase, ...(order === '' ? {} : { checkpoint: { order } }) },
  }) as unknown as Operation;

const names = (operations: readonly Operation[]) => operations.map(({ metadata }) => metadata.name);

describe('the order of operations', () => {
  it('is that of creation, then of names', () => {
    const [late, b, a] = [operation('a-late', { at: 2 }), operation('b', { at: 1 }), operation('a', { at: 1 })];
    const all = [late, b, a];
    expect(names(runnableOperations(all, NONE))).toEqual(['a']);
    expect(blockingOperation(b, all, NONE)).toBe(a);
    expect(blockingOperation(late, all, NONE)).toBe(b);
    expect(nextInQueue(a, all, NONE)).toBe(b);
  });

  it('is that of the first observed version within one second', () => {
    const [first, second, third] = [
      operation('z', { version: '999', order: '98' }),
      operation('y', { version: '99' }),
      operation('x', { version: '100' }),
    ];
    const all = [third, first, second];
    expect(names(runnableOperations(all, NONE))).toEqual(['z']);
    expect(blockingOperation(second, all, NONE)).toBe(first);
    expect(blockingOperation(third, all, NONE)).toBe(second);
  });

  it('keeps started ones first, observed or not', () => {
    const [first, begun] = [operation('a'), operation('b', { at: 1, phase: 'Running' })];
    expect(blockingOperation(first, [first, begun], NONE)).toBe(begun);
    const unseen = operation('b', { at: 1 });
    expect(blockingOperation(first, [first, unseen], { ...NONE, started: new Set(['b']) })).toBe(unseen);
    expect(blockingOperation(unseen, [first, unseen], { ...NONE, started: new Set(['b']) })).toBeUndefined();
  });

  it('skips finished ones', () => {
    const [over, next] = [operation('a', { phase: 'Failed' }), operation('b', { at: 1 })];
    expect(blockingOperation(next, [over, next], NONE)).toBeUndefined();
    expect(names(runnableOperations([over, next], NONE))).toEqual(['b']);
  });

  it('excludes one with a missing snapshot, which blocks no other until it has started', () => {
    const [first, lacking, last] = [operation('a'), operation('b', { at: 1 }), operation('c', { at: 2 })];
    const all = [first, lacking, last];
    const standing = { ...NONE, isBlocked: (each: Operation) => each === lacking };
    expect(names(runnableOperations(all, standing))).toEqual(['a', 'b']);
    expect(names(runnableOperations([lacking, last], standing))).toEqual(['c', 'b']);
    expect(blockingOperation(last, all, standing)).toBe(first);
    expect(blockingOperation(lacking, all, standing)).toBe(first);
    expect(nextInQueue(first, all, standing)).toBe(last);
    expect(blockingOperation(first, all, { ...standing, started: new Set(['b']) })).toBe(lacking);
  });

  it('allows several clones at once, but nothing that was created after a change', () => {
    const all = [
      operation('a', { kind: 'clone', at: 1 }),
      operation('b', { kind: 'clone', at: 2 }),
      operation('c', { at: 3 }),
      operation('d', { kind: 'clone', at: 4 }),
    ];
    expect(names(runnableOperations(all, NONE))).toEqual(['a', 'b']);
    expect(all.map((each) => blockingOperation(each, all, NONE)?.metadata.name)).toEqual([
      undefined,
      undefined,
      'b',
      'c',
    ]);
  });
});
