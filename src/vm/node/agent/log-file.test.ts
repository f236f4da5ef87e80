import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import type { LogLine, LogRequest } from '#platform/kube/node-runtime';
import { ContainerLogs } from './container-logs.ts';
import { LogFile } from './log-file.ts';

let directory: string;
let clock: FakeClock;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vimana-logs-'));
  clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
});
afterEach(() => rmSync(directory, { recursive: true }));

const path = () => join(directory, 'logs');
const book = () => new ContainerLogs(clock, new LogFile(path(), clock, createMemoryLogger(clock)));
const read = (from: ContainerLogs, uid: string, more: object = {}) =>
  from.read({ pod: { metadata: { uid } }, container: 'c', previous: false, follow: false, ...more } as LogRequest);
const texts = (from: ContainerLogs, uid: string, more: object = {}) =>
  [...((read(from, uid, more)?.lines ?? []) as readonly LogLine[])].map(({ text }) => text);

describe('the logs of containers', () => {
  it('are available to the next process', async () => {
    const first = book();
    first.write('a', 'c', 'one');
    first.restart('a', 'c');
    await clock.advance(1000);
    first.write('a', 'c', 'two\nlines');
    first.write('b', 'c', 'of another');
    first.write('gone', 'c', 'nobody asks any more');
    first.end('b', 'c');
    first.forget('gone');
    first.close();
    const second = book();
    expect(read(second, 'a')?.lines).toEqual([{ time: Date.UTC(2030, 0, 1, 0, 0, 1), text: 'two\nlines' }]);
    expect(texts(second, 'a', { previous: true })).toEqual(['one']);
    expect(texts(second, 'b')).toEqual(['of another']);
    const follow = { follow: true, signal: new AbortController().signal };
    expect(read(second, 'b', follow)?.following).toBeUndefined();
    expect(read(second, 'a', follow)?.following).toBeDefined();
    expect(read(second, 'gone')).toBeUndefined();
    second.retain(new Set(['a']));
    second.close();
    const third = book();
    expect(texts(third, 'a')).toEqual(['two\nlines']);
    expect(read(third, 'b')).toBeUndefined();
  });

  it('are written a moment later, without a request', async () => {
    book().write('a', 'c', 'one');
    await clock.advance(300);
    expect(texts(book(), 'a')).toEqual(['one']);
  });

  it('are read up to the last complete entry if the process was killed during a write', async () => {
    const first = book();
    first.write('a', 'c', 'one');
    first.close();
    writeFileSync(path(), `${readFileSync(path(), 'utf8')}["wrote","a","c",17`);
    expect(texts(book(), 'a')).toEqual(['one']);
  });

  it('are compacted before long', async () => {
    const long = 'x'.repeat(10_000);
    const first = book();
    for (let i = 0; i < 2000; i++) {
      first.write('a', 'c', `${i} ${long}`);
      if (i % 50 === 0) await clock.advance(300);
    }
    first.close();
    // 500 lines of 10 kB are retained.
    expect(statSync(path()).size).toBeLessThan(16 * 2 ** 20);
    expect(texts(book(), 'a').length).toBe(500);
    expect(texts(book(), 'a').at(-1)).toBe(`1999 ${long}`);
  });

  it('are still returned if they cannot be stored', () => {
    const log = createMemoryLogger(clock);
    const kept = new ContainerLogs(clock, new LogFile(join(directory, 'none', 'logs'), clock, log));
    kept.write('a', 'c', 'one');
    kept.close();
    expect(texts(kept, 'a')).toEqual(['one']);
    expect(log.entries.map(({ message }) => message)).toEqual(['failed to write container logs; retrying']);
  });
});
