import { describe, expect, it } from 'vitest';
import { logOptions } from './log-options.ts';

const NOW = Date.parse('2030-01-01T00:01:00Z');
const parse = (query: string) => logOptions(new URLSearchParams(query), 'p', NOW);
const DEFAULTS = { container: '', follow: false, previous: false, timestamps: false };

describe('the options of a log', () => {
  it.each([
    ['', {}],
    [
      'container=c&follow=true&previous=true&timestamps=true',
      { container: 'c', follow: true, previous: true, timestamps: true },
    ],
    ['tailLines=0', { tailLines: 0 }],
    ['tailLines=5&limitBytes=1', { tailLines: 5, limitBytes: 1 }],
    ['sinceSeconds=1', { since: NOW - 1000 }],
    ['sinceTime=2030-01-01T00:00:00Z', { since: NOW - 60_000 }],
    ['sinceTime=2030-01-01T01:00:00%2B01:00', { since: NOW - 60_000 }],
  ])('%s is parsed', (query, expected) => {
    expect(parse(query)).toEqual({ ...DEFAULTS, ...expected });
  });

  it.each([
    ['tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['limitBytes=0', 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=0', 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=1&sinceTime=2030-01-01T00:00:00Z', 'at most one of `sinceTime` or `sinceSeconds` may be specified'],
    ['stream=All', 'stream: Forbidden: may not be specified'],
    ['sinceTime=yesterday', 'parsing time "yesterday"'],
    ['sinceTime=2030-13-01T00:00:00Z', 'parsing time "2030-13-01T00:00:00Z"'],
  ])('%s is rejected', (query, message) => {
    expect(() => parse(query)).toThrow(message);
  });
});
