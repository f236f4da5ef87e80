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
  /** What the machine says of electricity, with what its template gives. */
  readonly spec: CarbonAware;
  readonly status: VirtualMachine['status'];
  /** What is known of a zone; undefined where nobody is there to ask. */
  readonly grid: ((zone: string) => ZoneReading) | undefined;
  /** Where the nodes are. */
  readonly places: readonly GridPlace[];
  /** Where the node of the machine is, where it has one. */
  readonly here: GridPlace | undefined;
  /** The zone that counts where neither the machine nor the nodes name one. */
  readonly defaultZone: string | undefined;
  readonly withoutData: 'start' | 'wait';
  /** When the machine was first seen to be started; now, where absent. */
  readonly requestedAt?: number;
  readonly now: number;
}

/** How long a first answer is waited for. */
const TIMEOUT_MS = 30_000;
/** A change of the intensity is written down only from this share on: status is no time series. */
const WORTH_TELLING = 0.05;

/** What follows for a machine from what is known of electricity. */
export function assessCarbon(input: CarbonInput): CarbonAssessment {
  const { spec, status, grid, places, here, now } = input;
  const { carbon } = status ?? {};
  const isStarted = carbon?.startedAt !== undefined;
  const kept = carbon === undefined ? {} : { record: carbon };
  if (grid === undefined) return isStarted ? { ...reportedCondition(input), ...kept } : { condition: NO_PROVIDER };
  const intensityOf = (zone: string) => slotAt(grid(zone).slots, now)?.intensity;
  const zone = zoneOf(input, intensityOf);
  if (zone === undefined) return isStarted ? { ...reportedCondition(input), ...kept } : { condition: NO_ZONE };
  const known = grid(zone);
  // An operator that has just started has heard nothing yet, and what was told before is not wrong for that.
  const unheard = known.requestedSince === undefined || isElsewhere(carbon, zone) ? undefined : status?.carbonIntensity;
  const intensity = steady(status?.carbonIntensity, slotAt(known.slots, now)?.intensity ?? unheard);
  const measured = intensity === undefined ? {} : { intensity };
  const placement = () => {
    // While it has a node nobody asks how clean others are; a move, for another size perhaps, still heeds what it names.
    const isAsking = spec.preferGreenEnergy && here === undefined;
    const preferred = preferredNodes(places, isAsking ? intensityOf : () => undefined, spec.zone);
    return preferred.length === 0 ? {} : { preferred };
  };
  if (isStarted) return { ...reportedCondition(input), ...measured, record: inZone(carbon, zone), ...placement() };
  const looked = spec.preferGreenEnergy ? [zone, ...places.map((place) => place.zone)] : [zone];
  const asked = looked.flatMap((each) => grid(each).requestedSince ?? []);
  const { requestedAt = now } = input;
  const since = carbon?.waitingSince === undefined ? requestedAt : Date.parse(carbon.waitingSince);
  const maxDelayMs = parseDuration(spec.maxDelay);
  // Also the wait for an answer is one.
  const heard = Math.min(Math.max(...asked) + TIMEOUT_MS, since + maxDelayMs);
  if (asked.length > 0 && now < heard) {
    const { condition } = carbon?.waitingSince === undefined ? { condition: REQUESTING } : reportedCondition(input);
    const { reason = '', message = '' } = condition;
    return {
      condition,
      waits: { reason, message, until: heard, transient: true },
      ...measured,
      ...kept,
      ...placement(),
    };
  }
  const decision = carbonDecision({
    maxIntensity: spec.maxIntensity,
    maxDelayMs,
    zone,
    slots: known.slots,
    problem: known.problem,
    withoutData: input.withoutData,
    waitingSince: since,
    now,
  });
  const { reason, message } = decision;
  const asking = inZone(carbon, zone);
  if (decision.do === 'start') {
    return {
      condition: { status: STARTED[decision.reason], reason, message },
      ...measured,
      record: asking,
      ...placement(),
    };
  }
  return {
    condition: { status: 'False', reason, message },
    waits: { reason, message, until: decision.until, ...(reason === 'NoCarbonData' ? {} : { asked: true as const }) },
    ...measured,
    // Whoever has the machine started now has it started there.
    ...placement(),
    record: {
      zone,
      waitingSince: carbon?.waitingSince ?? timestamp(since),
      ...whenAsked(asking.intensityWhenAsked ?? decision.intensity),
      startAt: timestamp(decision.until),
    },
  };
}

/** CarbonAware holds where the machine started with electricity as it wants it. */
const STARTED: Readonly<Record<Extract<CarbonDecision, { do: 'start' }>['reason'], 'True' | 'False' | 'Unknown'>> = {
  GreenEnergy: 'True',
  NoLimit: 'True',
  MaxDelayReached: 'False',
  NoCarbonData: 'Unknown',
};

/**
 * The zone whose electricity counts: where the machine is or last was, else the one that it names, else the one that it
 * will most likely be put into, which is the cleanest where it prefers that.
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

/** What is remembered, of a zone: how another one was tells nothing of what waiting changed in this one. */
function inZone(record: Remembered, zone: string): NonNullable<Remembered> {
  if (!isElsewhere(record, zone)) return { ...record, zone };
  const { intensityWhenAsked: _, intensityAtStart: __, ...rest } = record ?? {};
  return { ...rest, zone };
}

/** What was said at the start stands until the machine is stopped. */
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
  message: 'the carbon intensity of the grid is being asked for',
} as const;
const NO_PROVIDER = {
  status: 'Unknown',
  reason: 'NoProvider',
  message: 'no source of carbon intensities is configured (--carbon-provider): electricity is not heeded',
} as const;
const NO_ZONE = {
  status: 'Unknown',
  reason: 'NoZone',
  message:
    'neither carbonAware.zone nor --carbon-zone nor a label of the nodes names a grid zone: electricity is not heeded',
} as const;

function steady(before: number | undefined, now: number | undefined): number | undefined {
  if (now === undefined) return undefined;
  const rounded = Math.round(now * 10) / 10;
  return before !== undefined && Math.abs(before - rounded) < before * WORTH_TELLING ? before : rounded;
}

const whenAsked = (intensity: number | undefined) => (intensity === undefined ? {} : { intensityWhenAsked: intensity });
