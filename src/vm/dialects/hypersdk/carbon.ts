import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { timestamp } from '#platform/base/timestamp';
import type { Condition } from '#vm/engine/condition';
import type { ObservedVm, Problem } from '#vm/engine/dialect';
import type { CarbonAssessment, CarbonRecord } from '#vm/engine/vm-dependencies';

/** What the status says of electricity. */
interface CarbonStatus {
  /** CarbonAware; the engine of conditions adds its time. */
  readonly condition?: Omit<Condition, 'lastTransitionTime'>;
  readonly carbonIntensity?: number;
  readonly carbon?: CarbonRecord;
}

/**
 * What the status is to say of electricity: that the machine waits for it, or how it was when the machine was started.
 * Before the start, as long as something else holds the machine back, nothing is settled and no condition said.
 */
export function carbonStatus(
  { status }: Pick<VirtualMachine, 'status'>,
  { instance, now }: Pick<ObservedVm, 'instance' | 'now'>,
  assessment: CarbonAssessment | undefined,
): CarbonStatus {
  if (assessment === undefined) return {};
  const { intensity, waits, record } = assessment;
  const measured = intensity === undefined ? {} : { carbonIntensity: intensity };
  const isStarted = status?.carbon?.startedAt !== undefined;
  const { startAt: _, ...asked } = record ?? {};
  if (instance === undefined && waits === undefined && !isStarted) {
    return { ...measured, ...(asked.waitingSince === undefined ? {} : { carbon: asked }) };
  }
  if (instance === undefined || isStarted) {
    const condition = { type: 'CarbonAware', ...assessment.condition };
    return { condition, ...measured, ...(record === undefined ? {} : { carbon: record }) };
  }
  const startedAt = timestamp(now);
  return {
    condition: { type: 'CarbonAware', ...(waits === undefined ? assessment.condition : RUNS_ALREADY) },
    ...measured,
    carbon: { ...asked, startedAt, ...(intensity === undefined ? {} : { intensityAtStart: intensity }) },
  };
}

/** What a machine says itself of whether it waits; undefined where it does not heed electricity, or has not been asked to run. */
export function startGate({ status }: Pick<VirtualMachine, 'status'>): { readonly waits?: Problem } | undefined {
  const { carbon, conditions = [] } = status ?? {};
  if (carbon === undefined) return undefined;
  const said = conditions.find(({ type }) => type === 'CarbonAware');
  if (carbon.startedAt !== undefined || carbon.startAt === undefined || said === undefined) return {};
  const { reason = '', message = '' } = said;
  return { waits: { reason, message } };
}

/** Electricity has changed in the very moment of the start, or the machine ran before it was told to heed it. */
const RUNS_ALREADY = {
  status: 'Unknown',
  reason: 'RunsAlready',
  message: 'the machine runs already: electricity is heeded at its next start',
} as const;
