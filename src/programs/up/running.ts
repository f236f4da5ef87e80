import { KINDS } from '#api/kinds';
import { resourceTypeFor } from '#api/kubevirt/resources';
import { isDirectoryLocked } from '#control-plane/apiserver/store/directory-lock';
import { type Clock, realClock } from '#platform/base/clock';
import { formatDuration, humanDuration } from '#platform/base/duration';
import { ConfigError, VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import type { Io } from '#programs/cli/io';
import type { RunningSettings } from '#programs/cli/running';
import { connect } from '#programs/connect';
import { chosenDataDir } from '#programs/instances/choose';
import { runningInstances } from '#programs/instances/registry';
import { type RunFile, readRunFile } from '#programs/instances/run-file';

/** Maximum time for a `vimana up` to stop. Its guests have 30 seconds to shut down. */
const MAX_STOP_MS = 45_000;
const POLL_MS = 50;

/** Runs `vimana status`: shows whether a `vimana up` runs in a data directory, and what it contains. */
export async function status(settings: RunningSettings, io: Io): Promise<void> {
  const directory = chosenDataDir(settings.dataDir, runningInstances());
  const run = readRunFile(directory);
  if (run === undefined) throw notRunningError(directory);
  const connection = await connect({ kubeconfig: run.kubeconfig });
  try {
    const found = await countObjects(connection.client);
    if (settings.output === 'json') {
      io.out(`${JSON.stringify({ ...run, ...found }, undefined, 2)}\n`);
      return;
    }
    const age = humanDuration(realClock.now() - Date.parse(run.startedAt));
    const machines = Object.entries(found.machines).map(([phase, count]) => `${count} ${phase}`);
    io.out(
      [
        `running for ${age} (process ${run.pid})`,
        `API server:  ${run.url}`,
        `metrics:     ${run.metrics}`,
        ...(run.exporter === undefined ? [] : [`exporter:    ${run.exporter}`]),
        `health:      ${run.health}`,
        `kubeconfig:  ${run.kubeconfig}`,
        ...(run.tokenFile === undefined ? [] : [`token file:  ${run.tokenFile}`]),
        `nodes:       ${found.nodes.ready} of ${found.nodes.all} ready`,
        `VMs:         ${machines.length === 0 ? 'none' : machines.join(', ')}`,
        `pods:        ${found.pods}`,
        '',
      ].join('\n'),
    );
  } finally {
    await connection.close();
  }
}

/** Runs `vimana down`: stops a running `vimana up`, and waits until its directory is released. */
export async function down(settings: RunningSettings, io: Io): Promise<void> {
  const directory = chosenDataDir(settings.dataDir, runningInstances());
  const run = readRunFile(directory);
  if (run === undefined) throw notRunningError(directory);
  await stopInstance(directory, run);
  const kept = run.ephemeral === true ? 'its objects were not stored' : `its objects are retained in ${directory}`;
  io.out(`stopped (process ${run.pid}); ${kept}\n`);
}

/** Stops the process of a run file, and waits until it has stopped. Only the holder of the lock writes that file. */
export async function stopInstance(directory: string, run: RunFile): Promise<void> {
  process.kill(run.pid, 'SIGTERM');
  await waitUntilReleased(directory, run, realClock);
}

async function waitUntilReleased(directory: string, run: RunFile, clock: Clock): Promise<void> {
  const began = clock.monotonic();
  while (isDirectoryLocked(directory)) {
    if (clock.monotonic() - began > MAX_STOP_MS) {
      throw new VimanaError(
        'STILL_RUNNING',
        `process ${run.pid} is still running after ${formatDuration(MAX_STOP_MS)}`,
        {
          hint: `End it with: kill -9 ${run.pid}. No acknowledged write is lost.`,
        },
      );
    }
    await clock.sleep(POLL_MS);
  }
}

interface ObjectCounts {
  readonly nodes: { readonly all: number; readonly ready: number };
  readonly machines: Readonly<Record<string, number>>;
  readonly pods: number;
}

async function countObjects(client: Client): Promise<ObjectCounts> {
  const kinds = KINDS.filter(({ kind }) => kind === 'VirtualMachine');
  const [nodes, pods, ...lists] = await Promise.all([
    client.list(NODES),
    client.list(PODS),
    ...kinds.map((kind) =>
      client.list(resourceTypeFor(kind)).catch((error: unknown) => {
        // A group that is not served has no resources, and the response is not a Status.
        if (error instanceof KubeError && error.code === 404) return { items: [] };
        throw error;
      }),
    ),
  ]);
  const machines: Record<string, number> = {};
  for (const { status = {} } of lists.flatMap(({ items }) => items as readonly { status?: object }[])) {
    const { printableStatus, phase } = status as { printableStatus?: string; phase?: string };
    const state = printableStatus ?? phase ?? 'Pending';
    machines[state] = (machines[state] ?? 0) + 1;
  }
  const ready = nodes.items.filter((node) => conditionOf(node.status?.conditions, 'Ready')?.status === 'True').length;
  return { nodes: { all: nodes.items.length, ready }, machines, pods: pods.items.length };
}

function notRunningError(directory: string): ConfigError {
  return new ConfigError(`no vimana up is running with the data directory ${directory}`, {
    hint: 'Start one with: vimana up. vimana ls lists those that run.',
  });
}
