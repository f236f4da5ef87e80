import { describe, expect, it } from 'vitest';
import type { DiskSource } from '../../api/disk/request.ts';
import type { Operation } from '../kinds/operations.ts';
import { mayCopy } from './foreign-source.ts';

const THERE: DiskSource = { claim: 'web-root', namespace: 'a' };

const clone = (spec: object = {}, status: object = {}) =>
  ({
    metadata: { name: 'op', namespace: 'a', uid: 'u' },
    spec: { operation: 'clone', ...spec },
    status: {
      checkpoint: { copies: JSON.stringify({ 'copy-root': THERE }) },
      result: { targetVM: 'copy', targetNamespace: 'b' },
      phase: 'Running',
      ...status,
    },
  }) as unknown as Operation;

const MADE = { 'vimana.io/operation': 'a/op', 'vimana.io/operation-uid': 'u' };
const CLAIM = { namespace: 'b', name: 'copy-root', annotations: MADE };

describe('a claim is a copy', () => {
  it.each<[string, boolean, DiskSource, Partial<typeof CLAIM>, Operation | undefined]>([
    ['of what is in its own namespace, whoever made it', true, { claim: 'x' }, { annotations: {} as never }, undefined],
    ['of what is in its own namespace, though that is named', true, { claim: 'x', namespace: 'b' }, {}, undefined],
    ['of a disk elsewhere that a clone has written down', true, THERE, {}, clone()],
    ['of none elsewhere where nobody has', false, THERE, {}, undefined],
    ['of no other disk than was written down', false, { claim: 'secret', namespace: 'a' }, {}, clone()],
    ['of none elsewhere by another name', false, THERE, { name: 'copy-data' }, clone()],
    ['of none elsewhere in another namespace', false, THERE, { namespace: 'c' }, clone()],
    [
      'of none elsewhere for an operation of another uid',
      false,
      THERE,
      { annotations: { ...MADE, 'vimana.io/operation-uid': 'v' } },
      clone(),
    ],
    ['of none elsewhere for an operation that is no clone', false, THERE, {}, clone({ operation: 'stop' })],
    ['of none elsewhere for a clone that has succeeded', false, THERE, {}, clone({}, { phase: 'Succeeded' })],
    ['of none elsewhere for a clone that has failed', false, THERE, {}, clone({}, { phase: 'Failed' })],
    ['of none elsewhere for a clone that was called off', false, THERE, {}, clone({}, { phase: 'Cancelled' })],
    ['of none elsewhere before that was written down', false, THERE, {}, clone({}, { checkpoint: {} })],
    ['of none by a name that objects have anyway', false, THERE, { name: 'constructor' }, clone()],
  ])('%s', (_which, expected, source, claim, operation) => {
    expect(mayCopy(source, { ...CLAIM, ...claim }, (key) => (key === 'a/op' ? operation : undefined))).toBe(expected);
  });
});
