import { decodeUtf8, encodeUtf8 } from '#platform/base/bytes';
import type { ContainerLog, LogLine } from '#platform/kube/node-runtime';
import type { LogOptions } from './log-options.ts';

type Selection = Pick<LogOptions, 'follow' | 'timestamps' | 'tailLines' | 'limitBytes' | 'since'>;

/** Size of the pieces, in characters. */
const PIECE = 16 * 1024;

/** Returns the text of the selected lines of a log, in pieces. */
export function logText(log: ContainerLog, options: Selection): AsyncGenerator<string> {
  const text = pieces(log, options);
  return options.limitBytes === undefined ? text : limitBytes(text, options.limitBytes);
}

async function* pieces(log: ContainerLog, options: Selection): AsyncGenerator<string> {
  let piece = '';
  const { tailLines } = options;
  for await (const line of tailLines === undefined ? log.lines : await tail(log.lines, tailLines)) {
    piece += textOf(line, options);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
  if (!options.follow || log.following === undefined) return;
  for await (const line of log.following) {
    const text = textOf(line, options);
    if (text !== '') yield text;
  }
}

/** Returns the last lines, however old. Lines that are too old are dropped afterwards, as a kubelet does. */
async function tail(lines: ContainerLog['lines'], count: number): Promise<readonly LogLine[]> {
  const kept: LogLine[] = [];
  let seen = 0;
  for await (const line of lines) {
    if (count > 0) kept[seen % count] = line;
    seen++;
  }
  const first = seen > count ? seen % count : 0;
  return [...kept.slice(first), ...kept.slice(0, first)];
}

function textOf({ time, text }: LogLine, { since, timestamps }: Selection): string {
  if (since !== undefined && time < since) return '';
  return timestamps ? `${new Date(time).toISOString().slice(0, -1)}000000Z ${text}\n` : `${text}\n`;
}

/** Limits text to a number of bytes, without splitting a character. */
async function* limitBytes(text: AsyncIterable<string>, limit: number): AsyncGenerator<string> {
  let left = limit;
  for await (const piece of text) {
    const bytes = encodeUtf8(piece);
    if (bytes.length < left) {
      left -= bytes.length;
      yield piece;
      continue;
    }
    let end = Math.min(left, bytes.length);
    while (end < bytes.length && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    yield decodeUtf8(bytes.subarray(0, end));
    return;
  }
}
