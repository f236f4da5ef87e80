import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDirectoryLocked } from '#control-plane/apiserver/store/directory-lock';
import { realClock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import type { Io } from '#programs/cli/io';
import type { RunningSettings } from '#programs/cli/running';
import { chosenDataDir } from '#programs/instances/choose';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { runningInstances, unregisterInstance } from '#programs/instances/registry';
import { readRunFile } from '#programs/instances/run-file';
import { unmergeKubeconfig } from './merged-kubeconfig.ts';
import { deleteOrphans } from './orphaned-machines.ts';
import { stopInstance } from './running.ts';

/** Everything that a data directory of `vimana up` contains. */
const OURS =
  /^(?:folder\.lock(?:-journal)?|kubeconfig|pki|(?:objects|events)(?:\.head)?|container-logs.*|introduced|http-token.*|running\.json|kvm\.json|machines|images|nodes\.json|up\.log|merged-kubeconfig\.json|replaced-.*)$/;

/** Runs `vimana delete`: stops a Vimana instance if it runs, and deletes its data and its kubeconfig entries. */
export async function deleteInstance(settings: RunningSettings, io: Io): Promise<void> {
  const directory = directoryToDelete(settings.dataDir);
  const names = existsSync(directory) ? readdirSync(directory) : [];
  if (!names.includes('folder.lock') || !names.includes('pki')) {
    throw new ConfigError(`there is no Vimana instance in ${directory}`, {
      hint: 'vimana ls lists running instances. Choose the data directory of another with --data-dir.',
    });
  }
  const run = readRunFile(directory);
  if (run !== undefined) await stopInstance(directory, run);
  else if (isDirectoryLocked(directory)) {
    throw new ConfigError(`the data directory ${directory} is in use by a process that is starting or stopping`, {
      hint: 'Try again in a moment.',
    });
  }
  const machines = await deleteOrphans(directory);
  const merged = await unmergeKubeconfig(directory, realClock);
  unregisterInstance(directory);
  const left = readdirSync(directory);
  const foreign = left.filter((name) => !OURS.test(name) || (name === 'machines' && machines.foreign.length > 0));
  if (foreign.length === 0) rmSync(directory, { recursive: true, force: true });
  else
    for (const name of left)
      if (!foreign.includes(name)) rmSync(join(directory, name), { recursive: true, force: true });
  io.out(`${run === undefined ? '' : `stopped (process ${run.pid})\n`}deleted ${directory}\n`);
  if (machines.ended > 0) io.out(`ended ${machines.ended} VMs that ran without it\n`);
  if (merged !== undefined) io.out(`removed the context ${merged.name} from ${merged.file}\n`);
  if (foreign.length > 0)
    io.out(`kept in it, because Vimana did not create them: ${[...foreign, ...machines.foreign].join(', ')}\n`);
}

/** Returns the directory to delete. A running instance elsewhere does not decide which data are deleted. */
function directoryToDelete(given: string | undefined): string {
  const directory = chosenDataDir(given, runningInstances());
  const usual = resolve(defaultDataDir('up'));
  if (given !== undefined || directory === usual || !existsSync(usual)) return directory;
  throw new ConfigError('there are two Vimana instances, one of which is stopped', {
    hint: `Choose one:\n  --data-dir ${directory}  # running\n  --data-dir ${usual}  # stopped`,
  });
}
