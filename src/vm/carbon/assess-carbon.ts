import type { CarbonAware } from '#api/hypersdk/carbon-aware';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { parseDuration } from '#platform/base/duration';
import { timestamp } from '#platform/base/timestamp';
import type { CarbonAssessment } from '#vm/engine/vm-dependencies';
import { type CarbonDecision, carbonDecision } from './decision.ts';
import { type GridPlace, preferredNodes } from './grid-places.ts';
import type { ZoneReading } from './intensity-cache.ts';
import { slotAt } from './slot.ts';

export interface CarbonInput {
  /** Carbon settings of the VM, with the defaults of its template. */
  readonly spec: CarbonAware;
  readonly status: VirtualMachine['status'];
  /** Returns the reading of a zone. Undefined if there is no provider. */
  readonly grid: ((zone: string) => ZoneReading) | undefined;
  /** Grid places of the nodes. */
  readonly places: readonly GridPlace[];
  /** Grid place of the VM's node, if it has one. */
  readonly here: GridPlace | undefined;
  /** Zone to use if neither the VM nor the nodes name one. */
  readonly defaultZone: string | undefined;
  readonly withoutData: 'start' | 'wait';
  /** Time at which the start of the VM was first seen. Defaults to now. */
  readonly requestedAt?: number;
  readonly now: number;
}

/** Timeout for a first response. */
const TIMEOUT_MS = 30_000;
/** Ratio from which a change of the intensity is written, since status is no time series. */
const MIN_REPORTED_CHANGE = 0.05;

/** Assesses what the known carbon intensity means for a VM. */
export function assessCarbon(input: CarbonInput): CarbonAssessment {
  const { status, grid, now } = input;
  const { carbon } = status ?? {};
  const isStarted = carbon?.startedAt !== undefined;
  const kept = carbon === undefined ? {} : { record: carbon };
  if (grid === undefined) return isStarted ? { ...reportedCondition(input), ...kept } : { condition: NO_PROVIDER };
  const zone = zoneOf(input, (each) => slotAt(grid(each).slots, now)?.intensity);
  if (zone === undefined) return isStarted ? { ...reportedCondition(input), ...kept } : { condition: NO_ZONE };
  const measured = { ...input, grid, zone };
  if (!isStarted) return assessStart(measured);
  return {
    ...reportedCondition(input),
    ...intensityIn(measured),
    record: inZone(carbon, zone),
    ...placementFor(measured),
  };
}

/** Input with a provider and the zone that counts. */
type MeasuredInput = CarbonInput & { readonly grid: (zone: string) => ZoneReading; readonly zone: string };

function intensityIn({ status, grid, zone, now }: MeasuredInput): Pick<CarbonAssessment, 'intensity'> {
  const known = grid(zone);
  const isSilent = known.requestedSince !== undefined && !isElsewhere(status?.carbon, zone);
  // An operator that has just started has no reading yet, which does not invalidate the earlier one.
  const unheard = isSilent ? status?.carbonIntensity : undefined;
  const intensity = steady(status?.carbonIntensity, slotAt(known.slots, now)?.intensity ?? unheard);
  return intensity === undefined ? {} : { intensity };
}

function placementFor({ spec, grid, places, here, now }: MeasuredInput): Pick<CarbonAssessment, 'preferred'> {
  // While the VM has a node, other zones are not queried. A migration, perhaps for another size, still respects the
  // named zone.
  const isAsking = spec.preferGreenEnergy && here === undefined;
  const intensityOf = (zone: string) => (isAsking ? slotAt(grid(zone).slots, now)?.intensity : undefined);
  const preferred = preferredNodes(places, intensityOf, spec.zone);
  return preferred.length === 0 ? {} : { preferred };
}

/** Assesses a VM that has not started: it waits for a response, waits for clean electricity, or starts. */
function assessStart(input: MeasuredInput): CarbonAssessment {
  const { spec, status, grid, places, zone, now, requestedAt = now } = input;
  const { carbon } = status ?? {};
  const looked = spec.preferGreenEnergy ? [zone, ...places.map((place) => place.zone)] : [zone];
  const requested = looked.flatMap((each) => grid(each).requestedSince ?? []);
  const since = carbon?.waitingSince === undefined ? requestedAt : Date.parse(carbon.waitingSince);
  const maxDelayMs = parseDuration(spec.maxDelay);
  // The wait for a response also counts as waiting.
  const heard = Math.min(Math.max(...requested) + TIMEOUT_MS, since + maxDelayMs);
  if (requested.length > 0 && now < heard) return awaitResponse(input, heard);
  const { slots, problem } = grid(zone);
  const { maxIntensity } = spec;
  const { withoutData } = input;
  const decision = carbonDecision({
    maxIntensity,
    maxDelayMs,
    zone,
    slots,
    problem,
    withoutData,
    waitingSince: since,
    now,
  });
  return decisionAssessment(input, decision, since);
}

function awaitResponse(input: MeasuredInput, until: number): CarbonAssessment {
  const { carbon } = input.status ?? {};
  const { condition } = carbon?.waitingSince === undefined ? { condition: REQUESTING } : reportedCondition(input);
  const { reason = '', message = '' } = condition;
  return {
    condition,
    waits: { reason, message, until, transient: true },
    ...intensityIn(input),
    ...(carbon === undefined ? {} : { record: carbon }),
    ...placementFor(input),
  };
}

function decisionAssessment(input: MeasuredInput, decision: CarbonDecision, since: number): CarbonAssessment {
  const { status, zone } = input;
  const { reason, message } = decision;
  const asking = inZone(status?.carbon, zone);
  // The placement also applies if the VM is started now by request.
  const found = { ...intensityIn(input), ...placementFor(input) };
  if (decision.do === 'start') {
    return { condition: { status: STARTED[decision.reason], reason, message }, ...found, record: asking };
  }
  return {
    condition: { status: 'False', reason, message },
    waits: { reason, message, until: decision.until, ...(reason === 'NoCarbonData' ? {} : { asked: true as const }) },
    ...found,
    record: {
      zone,
      waitingSince: status?.carbon?.waitingSince ?? timestamp(since),
      ...intensityAtRequest(asking.intensityWhenAsked ?? decision.intensity),
      startAt: timestamp(decision.until),
    },
  };
}

/** Status of the CarbonAware condition, by the reason of the start. */
const STARTED: Readonly<Record<Extract<CarbonDecision, { do: 'start' }>['reason'], 'True' | 'False' | 'Unknown'>> = {
  GreenEnergy: 'True',
  NoLimit: 'True',
  MaxDelayReached: 'False',
  NoCarbonData: 'Unknown',
};

/**
 * Returns the zone that counts: where the VM is or last was, else the one that it names. Else it is the most likely
 * zone, which is the cleanest if the VM prefers that.
 */
function zoneOf(
  { spec, status, here, defaultZone, places }: CarbonInput,
  intensityOf: (zone: string) => number | undefined,
): string | undefined {
  const last = status?.carbon?.startedAt === undefined ? undefined : status.carbon.zone;
  const settled = here?.zone ?? last ?? spec.zone ?? (spec.preferGreenEnergy ? undefined : defaultZone);
  if (settled !== undefined) return settled;
  const ranked = places.map(({ zone }) => ({ zone, intensity: intensityOf(zone) ?? Number.POSITIVE_INFINITY }));
  const [best] = ranked.toSorted((a, b) => a.intensity - b.intensity || (a.zone < b.zone ? -1 : 1));
  return best?.intensity === Number.POSITIVE_INFINITY ? (defaultZone ?? best.zone) : (best?.zone ?? defaultZone);
}

type Remembered = NonNullable<VirtualMachine['status']>['carbon'];

const isElsewhere = (record: Remembered, zone: string) => record?.zone !== undefined && record.zone !== zone;

/** Returns the record for a zone. Intensities of another zone say nothing about what waiting changed in this one. */
function inZone(record: Remembered, zone: string): NonNullable<Remembered> {
  if (!isElsewhere(record, zone)) return { ...record, zone };
  const { intensityWhenAsked: _, intensityAtStart: __, ...rest } = record ?? {};
  return { ...rest, zone };
}

/** Returns the condition from the start, which holds until the VM is stopped. */
function reportedCondition({ status }: CarbonInput): Pick<CarbonAssessment, 'condition'> {
  const {
    status: holds,
    reason = '',
    message = '',
  } = status?.conditions?.find(({ type }) => type === 'CarbonAware') ?? REQUESTING;
  return { condition: { status: holds, reason, message } };
}

const REQUESTING = {
  status: 'False',
  reason: 'AskingForCarbonData',
  message: 'the carbon intensity of the grid is being fetched',
} as const;
const NO_PROVIDER = {
  status: 'Unknown',
  reason: 'NoProvider',
  message: 'no carbon intensity provider is configured (--carbon-provider): carbon awareness has no effect',
} as const;
const NO_ZONE = {
  status: 'Unknown',
  reason: 'NoZone',
  message: 'no grid zone is set by carbonAware.zone, --carbon-zone or a node label: carbon awareness has no effect',
} as const;

function steady(before: number | undefined, now: number | undefined): number | undefined {
  if (now === undefined) return undefined;
  const rounded = Math.round(now * 10) / 10;
  return before !== undefined && Math.abs(before - rounded) < before * MIN_REPORTED_CHANGE ? before : rounded;
}

const intensityAtRequest = (intensity: number | undefined) =>
  intensity === undefined ? {} : { intensityWhenAsked: intensity };
