import type { Container } from '#platform/kube/kinds/pod';

export interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt?: string | null;
  readonly finishedAt?: string | null;
  readonly containerID?: string;
}

/** At most one field is set, none before anything is known. */
export interface ContainerState {
  readonly waiting?: Waiting;
  readonly running?: { readonly startedAt?: string | null };
  readonly terminated?: Terminated;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
}

/** Returns the status of a container in the given state. */
export function containerStatus(
  { name, image = '' }: Container,
  state: ContainerState,
  { podUid, ready, restarts = 0, last }: { podUid: string; ready: boolean; restarts?: number; last?: ContainerState },
): ContainerStatus {
  const begun = state.waiting === undefined || restarts > 0;
  const containerID = `simulated://${podUid}/${name}/${restarts}`;
  const { terminated } = state;
  return {
    name,
    state: terminated === undefined ? state : { terminated: { ...terminated, containerID } },
    lastState: last ?? {},
    ready,
    started: state.running !== undefined,
    restartCount: restarts,
    image,
    imageID: begun ? image : '',
    ...(begun ? { containerID } : {}),
  };
}
