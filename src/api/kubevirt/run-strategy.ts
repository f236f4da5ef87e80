/** Values of `spec.runStrategy`, which decide when a VM runs. */
export const RUN_STRATEGIES = ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once'] as const;
export type RunStrategy = (typeof RUN_STRATEGIES)[number];
