import { describe, expect, test } from 'vitest';
import { checkListOptions, checkWatchOptions, type ReadOptions } from './read-options.ts';

const NEEDS_VERSION =
  'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
const WITH_CONTINUE = 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided';
const EXACT_ZERO = 'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
const OF_LISTS = 'resourceVersionMatch: Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""';
const NO_EVENTS = 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list';
const NEEDS_MATCH =
  'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
const NEEDS_EVENTS =
  'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
const ofWatches = (match: string) =>
  `resourceVersionMatch: Unsupported value: "${match}": supported values: "NotOlderThan"`;

function messageOf(check: () => void): string {
  try {
    check();
    return '';
  } catch (error) {
    return (error as Error).message.replace('ListOptions.meta.k8s.io "" is invalid: ', '');
  }
}

const all = (...causes: readonly string[]) => (causes.length > 1 ? `[${causes.join(', ')}]` : (causes[0] ?? ''));

type Row = readonly [ReadOptions, readonly string[]];
const match = (resourceVersionMatch: string, more: ReadOptions = {}): ReadOptions => ({
  resourceVersionMatch,
  ...more,
});

// These are the responses of kube-apiserver 1.36.
describe('a list', () => {
  const rows: readonly Row[] = [
    [{}, []],
    [{ resourceVersion: '5' }, []],
    [match('Exact', { resourceVersion: '5' }), []],
    [match('NotOlderThan', { resourceVersion: '0' }), []],
    [match(''), []],
    [match('Exact'), [NEEDS_VERSION]],
    [match('Exact', { resourceVersion: '0' }), [EXACT_ZERO]],
    [match('Exact', { resourceVersion: '0', continue: 'x' }), [WITH_CONTINUE, EXACT_ZERO]],
    [match('NotOlderThan', { resourceVersion: '0', continue: 'x' }), [WITH_CONTINUE]],
    [match('NotOlderThan', { continue: 'x' }), [NEEDS_VERSION, WITH_CONTINUE]],
    [match('Bogus'), [NEEDS_VERSION, OF_LISTS]],
    [match('Bogus', { resourceVersion: '1' }), [OF_LISTS]],
    [{ sendInitialEvents: true }, [NO_EVENTS]],
    [{ sendInitialEvents: false }, [NO_EVENTS]],
    [match('Bogus', { continue: 'x', sendInitialEvents: true }), [NEEDS_VERSION, WITH_CONTINUE, OF_LISTS, NO_EVENTS]],
  ];
  test.each(rows)('with %j: %j', (options, causes) => {
    expect(messageOf(() => checkListOptions(options))).toBe(all(...causes));
  });
});

describe('a watch', () => {
  const rows: readonly Row[] = [
    [{}, []],
    [{ resourceVersion: '0' }, []],
    [match('NotOlderThan', { sendInitialEvents: true }), []],
    [match('NotOlderThan', { sendInitialEvents: false, resourceVersion: '5' }), []],
    [{ sendInitialEvents: true }, [NEEDS_MATCH]],
    [match('NotOlderThan'), [NEEDS_EVENTS]],
    [match('Exact'), [NEEDS_EVENTS, ofWatches('Exact')]],
    [match('Exact', { sendInitialEvents: true }), [NEEDS_MATCH, ofWatches('Exact')]],
    [match('Bogus', { sendInitialEvents: false }), [NEEDS_MATCH, ofWatches('Bogus')]],
    [match('NotOlderThan', { sendInitialEvents: true, continue: 'x' }), [WITH_CONTINUE]],
  ];
  test.each(rows)('with %j: %j', (options, causes) => {
    expect(messageOf(() => checkWatchOptions(options))).toBe(all(...causes));
  });
});
