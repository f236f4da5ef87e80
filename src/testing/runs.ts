/**
 * Returns the number of runs of a slow property. It is smaller in the default tests, which always draw the same values.
 * VIMANA_PROPERTY_RUNS=1 runs all of them, 10 ten times as many.
 */
export const runs = (count: number) => Math.ceil(count * Number(process.env['VIMANA_PROPERTY_RUNS'] ?? 0.4));
