import { NOTHING } from './algorithms.ts';

/** One line of what Prometheus records. */
export interface Rule {
  readonly record: string;
  readonly expr: string;
}

/** The names of the four metrics of a node as recorded, or as recorded relative to the mean. */
export interface Columns {
  readonly cu: string;
  readonly cp: string;
  readonly mu: string;
  readonly mp: string;
}

/** A vector divided by its largest value; zero where all are, but for rounding. */
export function ratioOfMax(vector: string): string {
  return `${vector} / on () group_left () (max(${vector}) > ${NOTHING}) or ${vector} * 0`;
}
