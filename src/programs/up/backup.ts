import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { backupContent, backupLines } from '#control-plane/apiserver/backup/backup-content';
import { readBackup, writeBackup } from '#control-plane/apiserver/backup/backup-file';
import { readStore } from '#control-plane/apiserver/backup/read-store';
import { restoreData } from '#control-plane/apiserver/backup/restore-data';
import { lockDirectory } from '#control-plane/apiserver/store/directory-lock';
import { storePlaces } from '#control-plane/apiserver/store-places';
import { type Clock, realClock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { systemRandom } from '#platform/base/random';
import { createPrivateDirectory } from '#platform/kube/kubeconfig/private-file';
import type { BackupSettings } from '#programs/cli/backup';
import type { Io } from '#programs/cli/io';
import { ProgressLine } from '#programs/cli/progress-line';
import type { RestoreSettings } from '#programs/cli/restore';
import { chosenDataDir } from '#programs/instances/choose';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { runningInstances } from '#programs/instances/registry';
import { readRunFile } from '#programs/instances/run-file';
import { withStartExplanation } from './data-dir.ts';
import { holdNode } from './hold-node.ts';

const MIN_PASSPHRASE_LENGTH = 8;

/** Runs `vimana backup`: writes the contents of a data directory to one file, even while a server runs. */
export async function backup(settings: BackupSettings, io: Io, clock: Clock = realClock): Promise<void> {
  const dataDir = chosenDataDir(settings.dataDir, runningInstances());
  const { directory } = storePlaces(dataDir).objects;
  if (readRunFile(dataDir)?.ephemeral === true || !existsSync(directory)) {
    throw new ConfigError(`no objects found in ${dataDir}`, {
      hint: 'Set the data directory with --data-dir. With --ephemeral, objects are not stored on disk.',
    });
  }
  const passphrase = passphraseIn(settings.passphraseFile);
  const progress = new ProgressLine(io, clock);
  try {
    const timeline = readStore(directory);
    if (timeline === undefined) throw new ConfigError(`no objects found in ${dataDir}`);
    const takenAt = new Date(clock.now()).toISOString();
    const total = timeline.range({ prefix: '', limit: 0 }).remaining;
    const lines = countItems(backupLines(dataDir, timeline), (count) =>
      progress.show(() => `${Math.min(count, total)} of ${total} objects written`),
    );
    await writeBackup(settings.file, lines, { takenAt, ...(passphrase && { passphrase }) });
    progress.clear();
    io.out(`${settings.file}: ${total} objects, at revision ${timeline.revision}\n`);
  } catch (error) {
    progress.clear();
    throw withStartExplanation(error, dataDir);
  }
  if (passphrase === undefined) {
    io.err('It contains every Secret, the keys of the cluster and its administrator token, and is not encrypted.\n');
  }
}

/** Runs `vimana restore`: creates a data directory from a backup. */
export async function restore(settings: RestoreSettings, io: Io, clock: Clock = realClock): Promise<void> {
  const dataDir = resolve(settings.dataDir ?? defaultDataDir('up'));
  const progress = new ProgressLine(io, clock);
  const { lines, takenAt } = await readBackup(settings.file, passphraseIn(settings.passphraseFile), (count) =>
    progress.show(() => `${count} lines read`),
  ).finally(() => progress.clear());
  const content = backupContent(lines);
  const release = lockDataDir(dataDir);
  try {
    const id = systemRandom().uuid();
    progress.show(() => `writing ${content.versions.length} objects`);
    const restored = await restoreData(content, {
      dataDir,
      clock,
      replace: settings.replace,
      changeNode: (node) => holdNode(node, id),
    });
    progress.clear();
    io.out(`${dataDir}: ${restored.objects} objects as of ${takenAt}; revisions continue after ${restored.revision}\n`);
    if (restored.aside !== undefined)
      io.out(`The previous content is in ${restored.aside}: delete it when you no longer need it.\n`);
    if (restored.nodes.length > 0) {
      io.out(
        `No VM is started or deleted until these nodes have reported what they run: ${restored.nodes.join(', ')}.\nDelete nodes that no longer exist: kubectl delete node NAME\n`,
      );
    }
  } finally {
    progress.clear();
    release();
  }
}

/** Reports how many items have been taken. */
function* countItems<T>(items: Iterable<T>, report: (count: number) => void): Generator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    report(++count);
  }
}

/** Locks the directory. */
function lockDataDir(dataDir: string): () => void {
  let release = () => {};
  try {
    createPrivateDirectory(dataDir);
    release = lockDirectory(dataDir);
    const { directory } = storePlaces(dataDir).objects;
    // `vimana apiserver` locks only its store.
    if (existsSync(directory)) lockDirectory(directory)();
    return release;
  } catch (error) {
    release();
    throw withStartExplanation(error, dataDir);
  }
}

function passphraseIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ConfigError(`the passphrase cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (text.length >= MIN_PASSPHRASE_LENGTH) return text;
  throw new ConfigError(`the passphrase in ${file} is too short: ${text.length} characters`, {
    hint: `It needs at least ${MIN_PASSPHRASE_LENGTH}. To generate one: openssl rand -base64 24`,
  });
}
