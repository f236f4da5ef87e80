import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { backupContent, backupLines } from '#control-plane/apiserver/backup/backup-content';
import { readBackup, writeBackup } from '#control-plane/apiserver/backup/backup-file';
import { readStore } from '#control-plane/apiserver/backup/read-store';
import { restoreData } from '#control-plane/apiserver/backup/restore-data';
import { lockDirectory } from '#control-plane/apiserver/store/folder-lock';
import { storePlaces } from '#control-plane/apiserver/store-places';
import { realClock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { systemRandom } from '#platform/base/random';
import { createPrivateDirectory } from '#platform/kube/kubeconfig/private-file';
import type { BackupSettings } from '#programs/cli/backup';
import type { Io } from '#programs/cli/io';
import type { RestoreSettings } from '#programs/cli/restore';
import { defaultDataDir, withStartExplanation } from './data-dir.ts';
import { holdNode } from './hold-node.ts';
import { readRunFile } from './run-file.ts';

const MIN_PASSPHRASE_LENGTH = 8;

/** Runs `vimana backup`: writes the contents of a data directory to one file, even while a server runs. */
export async function backup(settings: BackupSettings, io: Io): Promise<void> {
  const dataDir = resolve(settings.dataDir ?? defaultDataDir('up'));
  const { directory: folder } = storePlaces(dataDir).objects;
  if (readRunFile(dataDir)?.ephemeral === true || !existsSync(folder)) {
    throw new ConfigError(`no objects found in ${dataDir}`, {
      hint: 'Set the data directory with --data-dir. With --ephemeral, objects are not stored on disk.',
    });
  }
  const passphrase = passphraseIn(settings.passphraseFile);
  try {
    const timeline = readStore(folder);
    if (timeline === undefined) throw new ConfigError(`no objects found in ${dataDir}`);
    const takenAt = new Date(realClock.now()).toISOString();
    await writeBackup(settings.file, backupLines(dataDir, timeline), { takenAt, ...(passphrase && { passphrase }) });
    io.out(
      `${settings.file}: ${timeline.range({ prefix: '', limit: 0 }).remaining} objects, at revision ${timeline.revision}\n`,
    );
  } catch (error) {
    throw withStartExplanation(error, dataDir);
  }
  if (passphrase === undefined) {
    io.err('It contains every Secret, the keys of the cluster and its administrator token, and is not encrypted.\n');
  }
}

/** Runs `vimana restore`: creates a data directory from a backup. */
export async function restore(settings: RestoreSettings, io: Io): Promise<void> {
  const dataDir = resolve(settings.dataDir ?? defaultDataDir('up'));
  const { lines, takenAt } = await readBackup(settings.file, passphraseIn(settings.passphraseFile));
  const content = backupContent(lines);
  const release = lockDataDir(dataDir);
  try {
    const id = systemRandom().uuid();
    const restored = await restoreData(content, {
      dataDir,
      clock: realClock,
      replace: settings.replace,
      changeNode: (node) => holdNode(node, id),
    });
    io.out(`${dataDir}: ${restored.objects} objects as of ${takenAt}; revisions continue after ${restored.revision}\n`);
    if (restored.aside !== undefined)
      io.out(`The previous content is in ${restored.aside}: delete it when you no longer need it.\n`);
    if (restored.nodes.length > 0) {
      io.out(
        `No VM is started or deleted until these nodes have reported what they run: ${restored.nodes.join(', ')}.\nDelete nodes that no longer exist: kubectl delete node NAME\n`,
      );
    }
  } finally {
    release();
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
