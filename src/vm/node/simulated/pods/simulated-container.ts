import { backOff } from './start-block.ts';

/** How one run of a container ended. */
export interface ContainerEnd {
  readonly at: number;
  readonly exitCode: number;
  readonly reason: string;
}

export interface ContainerRun {
  readonly startedAt: number;
  readonly end?: ContainerEnd;
}

/** A container and its last two runs; times in milliseconds since 1970. */
export interface SimulatedContainer {
  readonly restarts: number;
  /** Failures in a row, which the wait before the next start grows with. */
  readonly streak: number;
  readonly run: ContainerRun;
  readonly last?: ContainerRun;
  /** It waits to be started again. */
  readonly waits?: true;
}

/** When a run that began at a time will end by itself, if it does. */
export type EndOf = (startedAt: number, restarts: number) => ContainerEnd | undefined;

export type ContainerRestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** A run that lasts this long makes up for all failures before it. */
const GOOD_RUN = 600_000;

export function startContainer(at: number): SimulatedContainer {
  return { restarts: 0, streak: 0, run: { startedAt: at } };
}

/** The container as it is at a time, and when it changes next. */
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
    // The first restart comes at once.
    const startsAt = run.end.at + (failures === 0 ? 0 : backOff(failures));
    if (startsAt > now) return { life: { ...current, waits: true }, again: startsAt };
    current = { restarts: restarts + 1, streak: failures + 1, run: { startedAt: startsAt }, last: run };
  }
}

const withEnd = (life: SimulatedContainer, end: ContainerEnd): SimulatedContainer => ({
  ...life,
  run: { ...life.run, end },
});

/** Ends a container that runs. */
export function endContainer(life: SimulatedContainer, end: ContainerEnd): SimulatedContainer {
  const { waits: _waits, ...rest } = life;
  return life.run.end === undefined ? withEnd(rest, end) : rest;
}
