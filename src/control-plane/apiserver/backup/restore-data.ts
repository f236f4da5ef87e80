import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import type { KubeObject } from '#platform/kube/kube-object';
import { createPrivateDirectory, writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import { textOf } from '../object-text.ts';
import { OWN_NAMES } from '../private-data.ts';
import { openLmdbStore } from '../store/lmdb-store.ts';
import { StoreHead } from '../store/store-head.ts';
import { writeStore } from '../store/write-store.ts';
import { revisionBeyond, storePlaces } from '../store-places.ts';
import type { BackupContent } from './backup-content.ts';

/** Directory that holds the data until the restore is complete. */
const STAGING = 'restoring';
const NODES_PREFIX = '/registry/nodes/';

export interface RestoreResult {
  readonly revision: number;
  readonly objects: number;
  /** Nodes that `changeNode` has changed. */
  readonly nodes: readonly string[];
  /** Path of the previous data, if there was any. */
  readonly aside: string | undefined;
}

export interface RestoreOptions {
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Sets the existing data aside. */
  readonly replace: boolean;
  /** Changes a node before anything can read it; undefined leaves it as it is in the backup. */
  readonly changeNode: (node: KubeObject) => KubeObject | undefined;
}

/**
 * Creates a data directory from a backup. The new data takes effect only once all of it is written and has been read
 * back, and existing data is moved aside, never deleted.
 */
export async function restoreData(content: BackupContent, options: RestoreOptions): Promise<RestoreResult> {
  const { dataDir, clock } = options;
  createPrivateDirectory(dataDir);
  const present = readdirSync(dataDir).filter((name) => OWN_NAMES.test(name) || name === STAGING);
  if (present.length > 0 && !options.replace) {
    throw new ConfigError(`${dataDir} already contains data: ${present.join(', ')}`, {
      hint: 'Choose another directory with --data-dir, or move the existing data aside with --replace.',
    });
  }
  const revision = revisionBeyond(clock.now(), content.revision, reachedIn(dataDir));
  const staging = join(dataDir, STAGING);
  rmSync(staging, { recursive: true, force: true });
  createPrivateDirectory(staging);
  for (const { file, text } of content.files) {
    createPrivateDirectory(dirname(join(staging, file)));
    writePrivateFile(join(staging, file), text);
  }
  const { objects, events } = storePlaces(staging);
  await writeStore(objects, content.versions, revision);
  await writeStore(events, [], revision);
  const nodes = await changeNodes(objects, options);
  const aside = setAside(dataDir, present, clock.now());
  for (const name of readdirSync(staging)) renameSync(join(staging, name), join(dataDir, name));
  rmSync(staging, { recursive: true });
  return { revision, objects: content.versions.length, nodes, aside };
}

/** Rejects a data directory with an unfinished restore. */
export function checkRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, STAGING))) return;
  throw new ConfigError(`a restore into ${dataDir} was not finished`, {
    hint: `Restore again: vimana restore FILE --data-dir ${dataDir} --replace`,
  });
}

/** Returns the revision that the replaced store had reached, if that can still be determined. */
function reachedIn(dataDir: string): number {
  try {
    return new StoreHead(storePlaces(dataDir).objects.head).read() ?? 0;
  } catch {
    return 0;
  }
}

async function changeNodes(
  place: { readonly directory: string; readonly head: string },
  { clock, changeNode }: RestoreOptions,
): Promise<string[]> {
  const store = await openLmdbStore({ ...place, clock });
  const names: string[] = [];
  try {
    for (const { key, value } of store.range({ prefix: NODES_PREFIX }).entries) {
      const node = changeNode(JSON.parse(value) as KubeObject);
      if (node === undefined) continue;
      const { metadata } = node;
      names.push(metadata.name ?? '');
      await store.put(key, (revision) =>
        textOf({ ...node, metadata: { ...metadata, resourceVersion: String(revision) } }),
      );
    }
  } finally {
    await store.close();
  }
  return names;
}

function setAside(dataDir: string, names: readonly string[], now: number): string | undefined {
  const kept = names.filter((name) => name !== STAGING);
  if (kept.length === 0) return undefined;
  const aside = join(dataDir, `replaced-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of kept) renameSync(join(dataDir, name), join(aside, name));
  return aside;
}
