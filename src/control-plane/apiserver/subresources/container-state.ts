import type { Pod } from '#platform/kube/kinds/pod';

interface Terminated {
  readonly containerID?: string;
}

/** Describes one container in the status of a pod. */
export interface ContainerState {
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** State of a container without a reported status, which is about to be started. */
const STARTING: ContainerState = { state: { waiting: { reason: 'ContainerCreating' } } };

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

export function containerState({ status = {} }: Pod, container: string): ContainerState {
  for (const list of LISTS) {
    const statuses = (status[list] ?? []) as readonly (ContainerState & { readonly name?: string })[];
    const found = statuses.find(({ name }) => name === container);
    if (found !== undefined) return found;
  }
  return STARTING;
}

const WAITING: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/** Returns why a container has no log, in a kubelet's wording; undefined if it has one. */
export function logProblem(
  pod: string,
  container: string,
  { state = {}, lastState = {} }: ContainerState,
  previous: boolean,
): string | undefined {
  const named = `container "${container}" in pod "${pod}"`;
  if (previous) return lastState.terminated === undefined ? `previous terminated ${named} not found` : undefined;
  if (state.running !== undefined || state.terminated !== undefined || lastState.terminated !== undefined) {
    return undefined;
  }
  if (state.waiting === undefined) return `${named} is waiting to start - no logs yet`;
  const { reason = '' } = state.waiting;
  return `${named} is waiting to start: ${WAITING[reason] ?? reason}`;
}
