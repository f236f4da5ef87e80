const BITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

/** Parses a rate such as 100Mbps to bytes per second. Returns undefined if it is invalid. */
export function bytesPerSecond(rate: string): number | undefined {
  const [, digits, unit = ''] = /^([0-9]+)([KMG]?)bps$/.exec(rate) ?? [];
  return digits === undefined ? undefined : Math.max(1, Math.floor((Number(digits) * (BITS[unit] ?? 1)) / 8));
}
