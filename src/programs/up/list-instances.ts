import { realClock } from '#platform/base/clock';
import { humanDuration } from '#platform/base/duration';
import { formatTable } from '#programs/cli/format-table';
import type { Io } from '#programs/cli/io';
import type { RunningSettings } from '#programs/cli/running';
import { runningInstances } from '#programs/instances/registry';
import { clusterName } from './data-dir.ts';

/** Runs `vimana ls`: lists the instances of this user that run on this host. */
export async function listInstances({ output }: Pick<RunningSettings, 'output'>, io: Io): Promise<void> {
  const instances = runningInstances().map(({ dataDir, run }) => ({
    name: clusterName('up', dataDir, Number(new URL(run.url).port)),
    dataDir,
    ...run,
  }));
  if (output === 'json') {
    io.out(`${JSON.stringify(instances, undefined, 2)}\n`);
    return;
  }
  if (instances.length === 0) {
    io.err('No Vimana instance is running. Start one with: vimana up\n');
    return;
  }
  const rows = instances.map(({ name, url, pid, startedAt, dataDir }) => [
    name,
    url,
    String(pid),
    humanDuration(realClock.now() - Date.parse(startedAt)),
    dataDir,
  ]);
  io.out(formatTable(['NAME', 'URL', 'PID', 'AGE', 'DATA DIRECTORY'], rows));
}
