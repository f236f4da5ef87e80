import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client, ResourceType } from '#platform/kube/client';
import { NAMESPACES, SERVICES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import type { Explanation } from '#platform/kube/kinds/pod-explanation';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { CSI_NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '#platform/kube/kinds/workloads';
import { type EventRecorder, noopRecorder } from '#platform/runtime/events/event-recorder';
import type { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { defaultConfiguration, type SchedulerConfiguration } from './config/configuration.ts';
import { ExplanationStore } from './explanation/explanation-store.ts';
import { Placer } from './framework/placer.ts';
import { Rotation } from './framework/sampling.ts';
import { Binder } from './loop/binder.ts';
import { EventHandlers } from './loop/event-handlers.ts';
import { liveClusterView } from './loop/live-cluster-view.ts';
import { PodScheduler } from './loop/pod-scheduler.ts';
import { PreemptionExecutor } from './loop/preemption-executor.ts';
import { Reporter } from './loop/reporter.ts';
import { WorkLoop } from './loop/work-loop.ts';
import { NominatedPods } from './queue/nominated-pods.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { Snapshot } from './snapshot/snapshot.ts';
import { StorageState } from './volumes/storage-state.ts';
import { VolumeBinder } from './volumes/volume-binder.ts';

export interface SchedulerDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events?: EventRecorder;
  /** Configuration. Defaults to that of kube-scheduler. */
  readonly configuration?: SchedulerConfiguration;
  readonly explanations?: ExplanationStore;
}

export interface Scheduler extends Runnable {
  /**
   * Returns the latest scheduling attempts of a pod, newest first. They are retained for a while, even after the pod is
   * deleted.
   */
  explanationOf(namespace: string, name: string): readonly Explanation[];
}

const STORAGE: readonly ResourceType[] = [PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES, CSI_NODES];
const READ: readonly ResourceType[] = [
  NODES,
  PODS,
  NAMESPACES,
  SERVICES,
  POD_DISRUPTION_BUDGETS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
];

/** Schedules pods that have no node and name one of its profiles, as kube-scheduler does. */
export function scheduler(parts: SchedulerDeps): Scheduler {
  const { informers, explanations = new ExplanationStore() } = parts;
  const { turns, queue, volumes, handlers, binder, preemption, reporter, trial } = connect(parts, explanations);
  return {
    name: 'scheduler',
    explanationOf: (namespace, name) => explanations.explanationOf(namespace, name),
    async run(signal) {
      const stops = [
        informers.of(NODES).onChange((change) => handlers.nodeChanged(change)),
        informers.of(PODS).onChange((change) => handlers.podChanged(change)),
        ...STORAGE.map((type) =>
          informers.of(type).onChange(() => {
            volumes.changed();
            handlers.happened({ what: 'storage' });
          }),
        ),
      ];
      const synced = [...READ, ...STORAGE].map((type) => informers.of(type).synced);
      await Promise.race([Promise.all(synced), waitForAbort(signal)]);
      await turns.run(() => trial.next(signal), signal);
      queue.close();
      for (const stop of stops) stop();
      await binder.settled();
      await preemption.settled();
      await reporter.settled();
    },
  };
}

/** Creates the parts of the scheduler, and connects them. */
function connect(parts: SchedulerDeps, explanations: ExplanationStore) {
  const { client, informers, clock, events = noopRecorder } = parts;
  const log = parts.log.child({ component: 'scheduler' });
  const { profiles, initialBackoffMs, maxBackoffMs, bindTimeoutMs } = parts.configuration ?? defaultConfiguration();
  const nodes = new Snapshot();
  const storage = new StorageState(informers);
  const volumes = new VolumeBinder({ client, clock, storage, timeoutMs: bindTimeoutMs });
  const turns = new WorkLoop(clock);
  const queue = new SchedulingQueue({ clock, ready: () => turns.wake(), initialBackoffMs, maxBackoffMs });
  const nominated = new NominatedPods(nodes);
  const cluster = liveClusterView(nodes, storage, informers);
  const names = new Set(profiles.map(({ schedulerName }) => schedulerName));
  const handlers = new EventHandlers({ cluster, queue, nominated, isOurs: (name) => names.has(name) });
  const reporter = new Reporter({ client, clock, log, events });
  const binder = new Binder({ client, queue, handlers, reporter, log, ended: () => turns.wake() });
  const rotation = new Rotation();
  const placers = new Map(
    profiles.map((profile) => [
      profile.schedulerName,
      { profile, placer: new Placer({ profile, cluster, nominator: nominated, rotation }) },
    ]),
  );
  const preemption = new PreemptionExecutor({ client, clock, log, events });
  const disruption = informers.of(POD_DISRUPTION_BUDGETS).cache;
  const trial = new PodScheduler({
    placers,
    volumes,
    nodes,
    queue,
    nominated,
    binder,
    reporter,
    preemption,
    budgets: () => [...disruption.all()],
    explanations,
    random: parts.random.fork('scheduler'),
    clock,
    log,
  });
  return { turns, queue, volumes, handlers, binder, preemption, reporter, trial };
}
