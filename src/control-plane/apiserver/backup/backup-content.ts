import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '#platform/base/errors';
import type { Timeline } from '../store/timeline.ts';
import { Version } from '../store/version.ts';

/** First line of a backup. */
interface Summary {
  readonly content: 'vimana-data/1';
  readonly revision: number;
  readonly objects: number;
}

interface StoredFile {
  readonly file: string;
  readonly text: string;
}

interface StoredObject {
  readonly key: string;
  readonly revision: number;
  readonly createRevision: number;
  readonly value: string;
}

export interface BackupContent {
  /** Newest revision of the store. */
  readonly revision: number;
  readonly files: readonly StoredFile[];
  readonly versions: readonly Version[];
}

/** Files of a data directory that cannot be recreated: keys, and the record that the demo fleet was created once. */
const FILES = /^(?:pki\/[\w.-]+|introduced)$/;

/** Yields everything that is needed to restore a data directory: its objects at one revision, keys and tokens. */
export function* backupLines(dataDir: string, timeline: Timeline): Generator<object> {
  const { revision } = timeline;
  const { entries } = timeline.range({ prefix: '' });
  yield { content: 'vimana-data/1', revision, objects: entries.length } satisfies Summary;
  const pki = existsSync(join(dataDir, 'pki')) ? readdirSync(join(dataDir, 'pki')).map((name) => `pki/${name}`) : [];
  for (const file of [...pki, 'introduced']) {
    if (!FILES.test(file) || !existsSync(join(dataDir, file))) continue;
    yield { file, text: readFileSync(join(dataDir, file), 'utf8') } satisfies StoredFile;
  }
  for (const { key, revision: written, createRevision, value } of entries) {
    yield { key, revision: written, createRevision, value } satisfies StoredObject;
  }
}

/** Parses the lines of a backup. Throws if they have another form, because they may come from anywhere. */
export function backupContent(lines: readonly object[]): BackupContent {
  const [summary, ...rest] = lines as [Partial<Summary>?, ...Partial<StoredFile & StoredObject>[]];
  if (summary?.content !== 'vimana-data/1' || !isRevision(summary.revision)) throw unknown('invalid first line');
  const files: StoredFile[] = [];
  const versions: Version[] = [];
  for (const { file, text, key, value, revision, createRevision } of rest) {
    if (file !== undefined) {
      if (typeof text !== 'string' || !FILES.test(file)) throw unknown(`invalid file ${JSON.stringify(file)}`);
      files.push({ file, text });
      continue;
    }
    const isWhole = typeof key === 'string' && key !== '' && typeof value === 'string';
    if (!isWhole || !isRevision(revision) || !isRevision(createRevision) || revision > summary.revision) {
      throw unknown(`invalid object ${JSON.stringify(key)}`);
    }
    versions.push(new Version(key, value, revision, createRevision));
  }
  if (versions.length !== summary.objects) {
    throw unknown(`expected ${summary.objects} objects, found ${versions.length}`);
  }
  return { revision: summary.revision, files, versions };
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function unknown(what: string): ConfigError {
  return new ConfigError(`the backup has a format that this version does not support: ${what}`);
}
