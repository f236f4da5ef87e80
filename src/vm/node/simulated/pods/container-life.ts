import { backOff } from './start-hold.ts';

/** How one run of a container ended. */
export interface End {
  readonly at: number;
  readonly exitCode: number;
  readonly reason: string;
}

export interface Run {
  readonly startedAt: number;
  readonly end?: End;
}

/** A container and its last two runs; times in milliseconds since 1970. */
export interface ContainerLife {
  readonly restarts: number;
  /** Failures in a row, which the wait before the next start grows with. */
  readonly streak: number;
  readonly run: Run;
  readonly last?: Run;
  /** It waits to be started again. */
  readonly waits?: true;
}

/** When a run that began at a time will end by itself, if it does. */
export type EndOf = (startedAt: number, restarts: number) => End | undefined;

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** A run that lasts this long makes up for all failures before it. */
const GOOD_RUN = 600_000;

export function beginLife(at: number): ContainerLife {
  return { restarts: 0, streak: 0, run: { startedAt: at } };
}

/** The container as it is at a time, and when it changes next. */
export function advance(
  life: ContainerLife,
  endOf: EndOf,
  policy: RestartPolicy,
  now: number,
): { readonly life: ContainerLife; readonly again?: number } {
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

const withEnd = (life: ContainerLife, end: End): ContainerLife => ({ ...life, run: { ...life.run, end } });

/** Ends a container that runs. */
export function endLife(life: ContainerLife, end: End): ContainerLife {
  const { waits: _waits, ...rest } = life;
  return life.run.end === undefined ? withEnd(rest, end) : rest;
}
