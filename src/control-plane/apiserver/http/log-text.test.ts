import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '#platform/kube/kinds/pod';
import type { ContainerLog, LogLine } from '#platform/kube/node-runtime';
import { containerState, logProblem } from '../subresources/container-state.ts';
import { logText } from './log-text.ts';

const START = Date.UTC(2030, 0, 1);
const line = (second: number, text: string): LogLine => ({ time: START + second * 1000, text });
const lines = [line(0, 'a'), line(10, 'b'), line(20, 'c'), line(30, 'd')];
const PLAIN = { follow: false, timestamps: false };

async function read(log: ContainerLog, options: Parameters<typeof logText>[1]): Promise<string> {
  let text = '';
  for await (const piece of logText(log, options)) text += piece;
  return text;
}

async function* coming(...all: LogLine[]): AsyncGenerator<LogLine> {
  yield* all;
}

describe('the text of a log', () => {
  it.each<[string, Partial<Parameters<typeof logText>[1]>, string]>([
    ['complete', {}, 'a\nb\nc\nd\n'],
    ['the last lines', { tailLines: 2 }, 'c\nd\n'],
    ['more lines than exist', { tailLines: 9 }, 'a\nb\nc\nd\n'],
    ['exactly as many lines as exist', { tailLines: 4 }, 'a\nb\nc\nd\n'],
    ['nothing', { tailLines: 0 }, ''],
    ['the lines since a time', { since: START + 10_000 }, 'b\nc\nd\n'],
    ['the last lines since a time', { tailLines: 3, since: START + 20_000 }, 'c\nd\n'],
    ['limited in bytes', { limitBytes: 5 }, 'a\nb\nc'],
    ['limited to more bytes than exist', { limitBytes: 100 }, 'a\nb\nc\nd\n'],
    ['times', { tailLines: 1, timestamps: true }, '2030-01-01T00:00:30.000000000Z d\n'],
  ])('can be %s', async (_what, options, text) => {
    expect(await read({ lines }, { ...PLAIN, ...options })).toBe(text);
  });

  it('follows new lines if requested', async () => {
    const log = () => ({ lines, following: coming(line(40, 'e'), line(50, 'f')) });
    expect(await read(log(), { ...PLAIN, follow: true, tailLines: 1 })).toBe('d\ne\nf\n');
    expect(await read(log(), { ...PLAIN, follow: true, limitBytes: 11 })).toBe('a\nb\nc\nd\ne\nf');
    expect(await read(log(), PLAIN)).toBe('a\nb\nc\nd\n');
    expect(await read({ lines }, { ...PLAIN, follow: true })).toBe('a\nb\nc\nd\n');
  });

  it('never has more bytes than requested, nor part of a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.integer({ min: 1, max: 60 }),
        async (texts, limit) => {
          const log = { lines: texts.map((text, i) => line(i, text)) };
          const whole = await read(log, PLAIN);
          const cut = await read(log, { ...PLAIN, limitBytes: limit });
          expect(whole.startsWith(cut)).toBe(true);
          const size = Buffer.byteLength(cut);
          expect(size).toBeLessThanOrEqual(limit);
          if (cut !== whole) expect(size).toBeGreaterThan(limit - 4);
        },
      ),
    );
  });

  it('ends with as many lines as requested', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(30), fc.nat(30), async (count, tailLines) => {
        const numbered = Array.from({ length: count }, (_, i) => line(i, String(i)));
        const text = await read({ lines: numbered }, { ...PLAIN, tailLines });
        const desired = tailLines === 0 ? [] : numbered.slice(-tailLines);
        expect(text).toBe(desired.map((each) => `${each.text}\n`).join(''));
      }),
    );
  });
});

describe('the log of a container', () => {
  const named = 'container "c" in pod "p"';
  it.each([
    ['has no status', {}, `${named} is waiting to start: ContainerCreating`],
    ['waits', { state: { waiting: { reason: 'PodInitializing' } } }, `${named} is waiting to start: PodInitializing`],
    [
      'has no image (ErrImagePull)',
      { state: { waiting: { reason: 'ErrImagePull' } } },
      `${named} is waiting to start: image can't be pulled`,
    ],
    [
      'has no image (ImagePullBackOff)',
      { state: { waiting: { reason: 'ImagePullBackOff' } } },
      `${named} is waiting to start: trying and failing to pull image`,
    ],
    ['has an empty state', { state: {} }, `${named} is waiting to start - no logs yet`],
    ['runs', { state: { running: {} } }, undefined],
    ['has terminated', { state: { terminated: {} } }, undefined],
    ['waits for its restart', { state: { waiting: {} }, lastState: { terminated: {} } }, undefined],
  ])('that %s is served, or rejected with the reason', (_what, status, problem) => {
    const reported = Object.keys(status).length === 0 ? {} : { containerStatuses: [{ name: 'c', ...status }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [] }, status: reported };
    expect(logProblem('p', 'c', containerState(pod as Pod, 'c'), false)).toBe(problem);
  });

  it('has no previous run before the container was restarted', () => {
    expect(logProblem('p', 'c', { state: { running: {} } }, true)).toBe(`previous terminated ${named} not found`);
    expect(logProblem('p', 'c', { lastState: { terminated: {} } }, true)).toBeUndefined();
  });
});
