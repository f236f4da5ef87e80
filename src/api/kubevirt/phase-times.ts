import { INSTANCE_PHASES, type InstancePhase } from './virtual-machine-instance-status.ts';

interface PhaseTime {
  readonly phase?: InstancePhase;
}

/** Sorts phase times in the order in which instances go through the phases. */
export function inOrder<T extends PhaseTime>(times: readonly T[]): T[] {
  const place = ({ phase }: T) => (phase === undefined ? -1 : INSTANCE_PHASES.indexOf(phase));
  return times.toSorted((one, other) => place(one) - place(other));
}
