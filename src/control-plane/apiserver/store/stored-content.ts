import { join } from 'node:path';
import * as lmdb from 'lmdb';
import { append } from '#platform/base/append';
import { LmdbFile } from './lmdb-file.ts';
import { decodeContent, decodeRecord } from './record.ts';
import { StoreError } from './store-error.ts';
import { FIRST_REVISION, Timeline } from './timeline.ts';
import type { Version } from './version.ts';

/** How keys are read; its declared types leave it out. */
const { bufferToKeyValue } = lmdb as unknown as { bufferToKeyValue: (key: Buffer) => unknown };

/** The name of the records' form; changed with it, or with what the meta table holds. */
export const FORMAT = 'vimana-store/2';
/** The same without checksums. */
const UNCHECKED_FORMAT = 'vimana-store/1';

/** How many damaged objects are named. */
const NAMED = 5;

export interface StoredContent {
  readonly timeline: Timeline;
  /** Revisions that a compaction had not come to remove. */
  readonly useless: readonly number[];
  /** All that is stored, where that is without checksums. */
  readonly unchecked?: readonly Version[];
}

type Records = Iterable<{ readonly revision: number; readonly value: Buffer }>;

export const dataFile = (folder: string): string => join(folder, 'data.mdb');

/** Reads back everything in a folder, and checks all of it; undefined where nothing was ever stored there. */
export function readContent(folder: string): StoredContent | undefined {
  let content: StoredContent | undefined;
  LmdbFile.read(dataFile(folder), (entriesOf) => {
    const meta = new Map<string, string>();
    for (const { key, value } of entriesOf('meta')) meta.set(String(bufferToKeyValue(key)), value.toString('latin1'));
    content = contentOf(folder, meta, numbered(entriesOf('records')));
  });
  return content;
}

function contentOf(folder: string, meta: ReadonlyMap<string, string>, records: Records): StoredContent | undefined {
  const format = meta.get('format');
  const compacted = Number(meta.get('compacted') ?? FIRST_REVISION);
  if (format === UNCHECKED_FORMAT) {
    const unchecked: Version[] = [];
    return { ...replay(folder, records, compacted, decodeContent, (version) => unchecked.push(version)), unchecked };
  }
  if (format === FORMAT) return replay(folder, records, compacted, decodeRecord);
  const isEmpty = [...records].length === 0;
  if (format === undefined && isEmpty) return undefined;
  throw new StoreError('UnknownFormat', `"${folder}" has format "${format ?? 'none'}"; this version reads "${FORMAT}"`);
}

function* numbered(entries: Iterable<{ readonly key: Buffer; readonly value: Buffer }>) {
  for (const { key, value } of entries) yield { revision: Number(bufferToKeyValue(key)), value };
}

/** Plays records in the order of their revisions. */
export function replay(
  folder: string,
  records: Records,
  compacted: number,
  decode: typeof decodeRecord,
  onVersion: (version: Version) => void = () => {},
): StoredContent {
  const timeline = new Timeline(compacted);
  const useless: number[] = [];
  const damages: string[] = [];
  if (!Number.isSafeInteger(compacted) || compacted < FIRST_REVISION)
    damages.push('its compacted revision is no number');
  for (const { revision, value } of records) {
    try {
      const version = decode(revision, value);
      if (damages.length > 0) continue;
      onVersion(version);
      if (revision <= compacted) append(useless, timeline.restore(version));
      else timeline.apply(version);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      damages.push(error.message);
    }
  }
  if (damages.length === 0) return { timeline, useless };
  const more = damages.length > NAMED ? `; and ${damages.length - NAMED} more` : '';
  throw new StoreError('Corrupt', `"${folder}" is damaged: ${damages.slice(0, NAMED).join('; ')}${more}`);
}
