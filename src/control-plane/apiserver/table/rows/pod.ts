import {
  ageOf,
  type Cell,
  type Condition,
  containerCells,
  formatLabels,
  type Listed,
  type ListedPodTemplate,
  nameOf,
  since,
} from '../cell.ts';

export interface ListedPod extends Listed {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly unknown[];
    readonly initContainers?: readonly { readonly name?: string; readonly restartPolicy?: string }[];
    readonly readinessGates?: readonly { readonly conditionType?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly nominatedNodeName?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string };
  readonly running?: object;
  readonly terminated?: Terminated;
}

interface Terminated {
  readonly reason?: string;
  readonly signal?: number;
  readonly exitCode?: number;
  readonly finishedAt?: string | null;
}

/** Counts the restarts of containers, with the time of the last one. */
class Restarts {
  #count = 0;
  #last = Number.NEGATIVE_INFINITY;

  add({ restartCount = 0, lastState }: ContainerStatus): void {
    this.#count += restartCount;
    const finishedAt = lastState?.terminated?.finishedAt;
    if (finishedAt) this.#last = Math.max(this.#last, Date.parse(finishedAt));
  }

  text(now: number): string {
    if (this.#count === 0 || this.#last === Number.NEGATIVE_INFINITY) return String(this.#count);
    return `${this.#count} (${since(new Date(this.#last).toISOString(), now)} ago)`;
  }
}

interface Progress {
  readonly reason: string;
  readonly restarts: Restarts;
  readonly ready: number;
}

export function podRow(pod: ListedPod, now: number): Cell[] {
  const { spec = {}, status = {} } = pod;
  const sidecars = new Set<string | undefined>();
  for (const { name, restartPolicy } of spec.initContainers ?? []) if (restartPolicy === 'Always') sidecars.add(name);
  const started = initProgress(pod, sidecars);
  const initialized = started.done || conditionIs(status.conditions, 'Initialized', true);
  const { reason, restarts, ready } = initialized ? mainProgress(pod, started) : started;
  return [
    nameOf(pod),
    `${ready}/${(spec.containers?.length ?? 0) + sidecars.size}`,
    deletedReason(pod) ?? reason,
    restarts.text(now),
    ageOf(pod, now),
    status.podIP || status.podIPs?.[0]?.ip || '<none>',
    spec.nodeName || '<none>',
    status.nominatedNodeName || '<none>',
    readinessGates(pod),
  ];
}

/** Returns the condition of a row that marks a pod as completed. */
export function podRowConditions(pod: ListedPod): object[] | undefined {
  switch (pod.status?.phase) {
    case 'Succeeded':
      return [completedContainer('Succeeded', 'The pod has completed successfully.')];
    case 'Failed':
      return [completedContainer('Failed', 'The pod failed.')];
    default:
      return undefined;
  }
}

const completedContainer = (reason: string, message: string) => ({
  type: 'Completed',
  status: 'True',
  reason,
  message,
});

function phaseReason({ phase = '', reason = '', conditions = [] }: NonNullable<ListedPod['status']>): string {
  const gated = conditions.some((item) => item.type === 'PodScheduled' && item.reason === 'SchedulingGated');
  return gated ? 'SchedulingGated' : reason || phase;
}

/** Inspects the init containers up to the first that is not done. Sidecars also count as regular containers. */
function initProgress(
  pod: ListedPod,
  sidecars: ReadonlySet<string | undefined>,
): Progress & { done: boolean; sidecarRestarts: Restarts } {
  const { spec = {}, status = {} } = pod;
  const restarts = new Restarts();
  const sidecarRestarts = new Restarts();
  let ready = 0;
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(container.name);
    restarts.add(container);
    if (sidecar) sidecarRestarts.add(container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated !== undefined && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) ready++;
      continue;
    }
    const stuck = terminated === undefined ? waitingReason(waiting) : exitReason(terminated);
    const reason = `Init:${stuck ?? `${i}/${spec.initContainers?.length ?? 0}`}`;
    return { reason, restarts, ready, done: false, sidecarRestarts };
  }
  return { reason: phaseReason(status), restarts, ready, done: true, sidecarRestarts };
}

function waitingReason(waiting: ContainerState['waiting']): string | undefined {
  const reason = waiting?.reason ?? '';
  return reason === '' || reason === 'PodInitializing' ? undefined : reason;
}

function exitReason({ reason = '', signal = 0, exitCode = 0 }: Terminated): string {
  return reason || (signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`);
}

/** Inspects the containers from last to first, so that the first one determines the reason. */
function mainProgress(
  pod: ListedPod,
  { reason: startReason, ready: readySidecars, sidecarRestarts }: ReturnType<typeof initProgress>,
): Progress {
  const { containerStatuses = [], conditions } = pod.status ?? {};
  let reason = startReason;
  let ready = readySidecars;
  let hasRunning = false;
  let failure = '';
  for (const container of containerStatuses.toReversed()) {
    sidecarRestarts.add(container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated !== undefined) {
      reason = exitReason(terminated);
      if ((terminated.exitCode ?? 0) !== 0) failure = reason;
    } else if (container.ready === true && running !== undefined) {
      hasRunning = true;
      ready++;
    }
  }
  if (reason === 'Completed') {
    if (hasRunning && conditionIs(conditions, 'Ready', false)) reason = 'Running';
    else if (failure !== '') reason = failure;
    else if (hasRunning) reason = 'NotReady';
  }
  return { reason, ready, restarts: sidecarRestarts };
}

/** Reports whether a condition is true. With `first`, only the first of its type counts. */
function conditionIs(conditions: readonly Condition[] = [], type: string, first: boolean): boolean {
  if (first) return conditions.find((item) => item.type === type)?.status === 'True';
  return conditions.some((item) => item.type === type && item.status === 'True');
}

function deletedReason({ metadata, status = {} }: ListedPod): string | undefined {
  if (!metadata?.deletionTimestamp) return undefined;
  if (status.reason === 'NodeLost') return 'Unknown';
  return status.phase === 'Failed' || status.phase === 'Succeeded' ? undefined : 'Terminating';
}

function readinessGates({ spec = {}, status = {} }: ListedPod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType = '' }) => conditionIs(status.conditions, conditionType, true));
  return `${open.length}/${gates.length}`;
}

export function podTemplateRow(object: Listed & { readonly template?: ListedPodTemplate }): Cell[] {
  const { template } = object;
  return [nameOf(object), ...containerCells(template?.spec?.containers), formatLabels(template?.metadata?.labels)];
}
