import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { timestamp } from '#platform/base/timestamp';
import type { Condition } from '#vm/engine/condition';
import type { ObservedVm, Problem } from '#vm/engine/dialect';
import type { CarbonAssessment, CarbonRecord } from '#vm/engine/vm-dependencies';

/** Carbon-related fields of the status. */
interface CarbonStatus {
  /** CarbonAware condition without its transition time, which is added later. */
  readonly condition?: Omit<Condition, 'lastTransitionTime'>;
  readonly carbonIntensity?: number;
  readonly carbon?: CarbonRecord;
}

/**
 * Returns the carbon-related status: that the VM waits, or the intensity when it was started. As long as something else
 * blocks the start, nothing is decided and there is no condition.
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
  const { startAt: _, ...requested } = record ?? {};
  if (instance === undefined && waits === undefined && !isStarted) {
    return { ...measured, ...(requested.waitingSince === undefined ? {} : { carbon: requested }) };
  }
  if (instance === undefined || isStarted) {
    const condition = { type: 'CarbonAware', ...assessment.condition };
    return { condition, ...measured, ...(record === undefined ? {} : { carbon: record }) };
  }
  const startedAt = timestamp(now);
  return {
    condition: { type: 'CarbonAware', ...(waits === undefined ? assessment.condition : RUNS_ALREADY) },
    ...measured,
    carbon: { ...requested, startedAt, ...(intensity === undefined ? {} : { intensityAtStart: intensity }) },
  };
}

/**
 * Returns whether the VM waits for lower carbon intensity. Undefined if it is not carbon-aware or not requested to run.
 */
export function startGate({ status }: Pick<VirtualMachine, 'status'>): { readonly waits?: Problem } | undefined {
  const { carbon, conditions = [] } = status ?? {};
  if (carbon === undefined) return undefined;
  const said = conditions.find(({ type }) => type === 'CarbonAware');
  if (carbon.startedAt !== undefined || carbon.startAt === undefined || said === undefined) return {};
  const { reason = '', message = '' } = said;
  return { waits: { reason, message } };
}

/** The intensity changed at the moment of the start, or the VM ran before it became carbon-aware. */
const RUNS_ALREADY = {
  status: 'Unknown',
  reason: 'RunsAlready',
  message: 'the VM is already running: carbon awareness applies at the next start',
} as const;
