import { realClock } from '#platform/base/clock';
import { humanDuration } from '#platform/base/duration';
import { formatTable } from '#programs/cli/format-table';
import type { Io } from '#programs/cli/io';
import type { RunningSettings } from '#programs/cli/running';
import { runningInstances } from '#programs/instances/registry';
import { clusterName } from './data-dir.ts';
import { findOrphans } from './orphaned-machines.ts';

/** Runs `vimana ls`: lists the instances of this user that run on this host, and machines that run without one. */
export async function listInstances({ output }: Pick<RunningSettings, 'output'>, io: Io): Promise<void> {
  const running = runningInstances();
  const instances = running.map(({ dataDir, run }) => ({
    name: clusterName('up', dataDir, Number(new URL(run.url).port)),
    dataDir,
    ...run,
  }));
  const orphans = await findOrphans(new Set(running.map(({ dataDir }) => dataDir)));
  if (output === 'json') {
    io.out(`${JSON.stringify([...instances, ...orphans], undefined, 2)}\n`);
    return;
  }
  if (instances.length === 0) io.err('No Vimana instance is running. Start one with: vimana up\n');
  const rows = instances.map(({ name, url, pid, startedAt, dataDir }) => [
    name,
    url,
    String(pid),
    humanDuration(realClock.now() - Date.parse(startedAt)),
    dataDir,
  ]);
  if (rows.length > 0) io.out(formatTable(['NAME', 'URL', 'PID', 'AGE', 'DATA DIRECTORY'], rows));
  const left = orphans.flatMap(({ dataDir, machines }) =>
    machines.map(({ namespace, name, node, pid, startedAt }) => [
      `${namespace}/${name}`,
      node,
      String(pid),
      humanDuration(realClock.now() - startedAt),
      dataDir,
    ]),
  );
  if (left.length === 0) return;
  io.out(
    `${rows.length > 0 ? '\n' : ''}${formatTable(['VM WITHOUT INSTANCE', 'NODE', 'PID', 'AGE', 'DATA DIRECTORY'], left)}`,
  );
  io.err('Adopt these VMs with: vimana up --runtime qemu --data-dir DIRECTORY\n');
  io.err('Or end them with:     vimana delete --data-dir DIRECTORY\n');
}
