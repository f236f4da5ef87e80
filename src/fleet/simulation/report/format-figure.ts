/** Formats a ratio in percent. */
export const formatPercent = (ratio: number, digits = 1): string => `${Number((ratio * 100).toFixed(digits))}%`;

/** Formats a duration in seconds, or in minutes if it is longer than a few. */
export function formatSeconds(seconds: number): string {
  return seconds < 600 ? `${Number(seconds.toFixed(1))} s` : `${Number((seconds / 60).toFixed(1))} min`;
}
