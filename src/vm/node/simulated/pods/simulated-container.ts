import { backOff } from './start-block.ts';

/** Describes how one run of a container ended. */
export interface ContainerEnd {
  readonly at: number;
  readonly exitCode: number;
  readonly reason: string;
}

export interface ContainerRun {
  readonly startedAt: number;
  readonly end?: ContainerEnd;
}

/** Container and its last two runs. Times are in milliseconds since the Unix epoch. */
export interface SimulatedContainer {
  readonly restarts: number;
  /** Number of consecutive failures, which determines the back-off. */
  readonly streak: number;
  readonly run: ContainerRun;
  readonly last?: ContainerRun;
  /** The container waits for its next start. */
  readonly waits?: true;
}

/** Returns when a run that began at a time ends by itself, if it does. */
export type EndOf = (startedAt: number, restarts: number) => ContainerEnd | undefined;

export type ContainerRestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** Run time after which earlier failures no longer count. */
const GOOD_RUN = 600_000;

export function startContainer(at: number): SimulatedContainer {
  return { restarts: 0, streak: 0, run: { startedAt: at } };
}

/** Returns the container at a time, and when it changes next. */
export function advanceContainer(
  life: SimulatedContainer,
  endOf: EndOf,
  policy: ContainerRestartPolicy,
  now: number,
): { readonly life: SimulatedContainer; readonly again?: number } {
  let current = life;
  for (;;) {
    const { run, restarts, streak } = current;
    if (run.end === undefined) {
      const end = endOf(run.startedAt, restarts);
      if (end === undefined) return { life: current };
      if (end.at > now) return { life: current, again: end.at };
      current = withEnd(current, end);
      continue;
    }
    if (policy === 'Never' || (policy === 'OnFailure' && run.end.exitCode === 0)) return { life: current };
    const failures = run.end.at - run.startedAt >= GOOD_RUN ? 0 : streak;
    // The first restart is immediate.
    const startsAt = run.end.at + (failures === 0 ? 0 : backOff(failures));
    if (startsAt > now) return { life: { ...current, waits: true }, again: startsAt };
    current = { restarts: restarts + 1, streak: failures + 1, run: { startedAt: startsAt }, last: run };
  }
}

const withEnd = (life: SimulatedContainer, end: ContainerEnd): SimulatedContainer => ({
  ...life,
  run: { ...life.run, end },
});

/** Ends a running container. */
export function endContainer(life: SimulatedContainer, end: ContainerEnd): SimulatedContainer {
  const { waits: _waits, ...rest } = life;
  return life.run.end === undefined ? withEnd(rest, end) : rest;
}
