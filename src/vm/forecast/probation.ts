/**
 * Probation of a forecast: it is judged by the forecasts that were really issued, and used only while its error is
 * lower than that of every naive forecast.
 */
export interface Probation {
  /** Forecasts whose time has not come. */
  readonly issued: readonly IssuedForecast[];
  readonly scored: number;
  /** Faded sums of errors, of the model and of each naive forecast, and of values and covered values. */
  readonly error: number;
  readonly naive: readonly number[];
  readonly total: number;
  readonly covered: number;
  readonly weight: number;
  readonly used: boolean;
}

export interface IssuedForecast {
  /** Step that the forecast is for. */
  readonly step: number;
  readonly mean: number;
  readonly upper: number;
  readonly naive: readonly number[];
}

export const NEW_PROBATION: Probation = {
  issued: [],
  scored: 0,
  error: 0,
  naive: [],
  total: 0,
  covered: 0,
  weight: 0,
  used: false,
};

/** Half of a score is forgotten in about six hours. */
const FADING = 0.99;
/** Forecasts that must have been scored before one is used: three hours. */
const MIN_SCORED = 36;
/** A forecast that is not used must be clearly better; one that is used must not be worse. */
const START_RATIO = 0.9;
const STOP_RATIO = 1;
const MAX_ISSUED = 48;

export function withIssued(probation: Probation, forecast: IssuedForecast): Probation {
  if (probation.issued.some(({ step }) => step === forecast.step)) return probation;
  return { ...probation, issued: [...probation.issued, forecast].slice(-MAX_ISSUED) };
}

/**
 * Scores the forecast for a step that is over. A saturated value is only a lower bound, so that a forecast above it is
 * not known to be wrong.
 */
export function withScore(probation: Probation, step: number, actual: number, isSaturated: boolean): Probation {
  const found = probation.issued.find((each) => each.step === step);
  const issued = probation.issued.filter((each) => each.step > step);
  if (found === undefined) return issued.length === probation.issued.length ? probation : { ...probation, issued };
  const miss = (value: number) => (isSaturated && value >= actual ? 0 : Math.abs(value - actual));
  const scored = {
    issued,
    scored: probation.scored + 1,
    error: FADING * probation.error + miss(found.mean),
    naive: found.naive.map((value, i) => FADING * (probation.naive[i] ?? 0) + miss(value)),
    total: FADING * probation.total + Math.abs(actual),
    covered: FADING * probation.covered + (actual <= found.upper ? 1 : 0),
    weight: FADING * probation.weight + 1,
  };
  return { ...scored, used: isUseful(scored, probation.used) };
}

function isUseful({ scored, error, naive }: Omit<Probation, 'used'>, isUsed: boolean): boolean {
  if (scored < MIN_SCORED) return false;
  const best = Math.min(...naive);
  return isUsed ? error <= STOP_RATIO * best : error < START_RATIO * best;
}

/** Mean relative errors and coverage, or undefined before the first score. */
export function qualityOf({ error, naive, total, covered, weight }: Probation) {
  if (weight === 0 || total === 0) return undefined;
  const round = (value: number) => Math.round(value * 1000) / 1000;
  return {
    error: round(error / total),
    naiveError: round(Math.min(...naive) / total),
    coverage: Math.min(1, round(covered / weight)),
  };
}
