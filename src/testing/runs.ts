/**
 * How often a property is tried whose tries take long: fewer times in the usual tests, which draw the same values each
 * time. VIMANA_PROPERTY_RUNS=1 tries all of them, 10 ten times as many.
 */
export const runs = (count: number) => Math.ceil(count * Number(process.env['VIMANA_PROPERTY_RUNS'] ?? 0.4));
