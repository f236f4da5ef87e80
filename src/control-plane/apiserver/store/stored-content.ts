import { join } from 'node:path';
import * as lmdb from 'lmdb';
import { append } from '#platform/base/append';
import { LmdbFile } from './lmdb-file.ts';
import { decodeContent, decodeRecord } from './record.ts';
import { StoreError } from './store-error.ts';
import { FIRST_REVISION, Timeline } from './timeline.ts';
import type { Version } from './version.ts';

/** Decodes keys. LMDB's declared types omit it. */
const { bufferToKeyValue } = lmdb as unknown as { bufferToKeyValue: (key: Buffer) => unknown };

/** Name of the record format. Change it with the format, or with the content of the meta table. */
export const FORMAT = 'vimana-store/2';
/** Name of the same format without checksums. */
const UNCHECKED_FORMAT = 'vimana-store/1';

/** Maximum number of damaged objects to name. */
const NAMED = 5;

export interface StoredContent {
  readonly timeline: Timeline;
  /** Revisions that a compaction did not get to remove. */
  readonly useless: readonly number[];
  /** All stored versions, if the format has no checksums. */
  readonly unchecked?: readonly Version[];
}

type Records = Iterable<{ readonly revision: number; readonly value: Buffer }>;

export const dataFile = (directory: string): string => join(directory, 'data.mdb');

/** Reads back and checks everything in a directory; undefined if nothing was ever stored there. */
export function readContent(directory: string): StoredContent | undefined {
  let content: StoredContent | undefined;
  LmdbFile.read(dataFile(directory), (entriesOf) => {
    const meta = new Map<string, string>();
    for (const { key, value } of entriesOf('meta')) meta.set(String(bufferToKeyValue(key)), value.toString('latin1'));
    content = contentOf(directory, meta, recordsWithRevision(entriesOf('records')));
  });
  return content;
}

function contentOf(directory: string, meta: ReadonlyMap<string, string>, records: Records): StoredContent | undefined {
  const format = meta.get('format');
  const compacted = Number(meta.get('compacted') ?? FIRST_REVISION);
  if (format === UNCHECKED_FORMAT) {
    const unchecked: Version[] = [];
    return { ...replay(directory, records, compacted, decodeContent, (version) => unchecked.push(version)), unchecked };
  }
  if (format === FORMAT) return replay(directory, records, compacted, decodeRecord);
  const isEmpty = [...records].length === 0;
  if (format === undefined && isEmpty) return undefined;
  throw new StoreError(
    'UnknownFormat',
    `"${directory}" has format "${format ?? 'none'}"; this version reads "${FORMAT}"`,
  );
}

function* recordsWithRevision(entries: Iterable<{ readonly key: Buffer; readonly value: Buffer }>) {
  for (const { key, value } of entries) yield { revision: Number(bufferToKeyValue(key)), value };
}

/** Replays records in the order of their revisions. */
export function replay(
  directory: string,
  records: Records,
  compacted: number,
  decode: typeof decodeRecord,
  onVersion: (version: Version) => void = () => {},
): StoredContent {
  const timeline = new Timeline(compacted);
  const useless: number[] = [];
  const damages: string[] = [];
  if (!Number.isSafeInteger(compacted) || compacted < FIRST_REVISION)
    damages.push('its compacted revision is not a number');
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
  throw new StoreError('Corrupt', `"${directory}" is damaged: ${damages.slice(0, NAMED).join('; ')}${more}`);
}
