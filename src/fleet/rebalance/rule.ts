import { NOTHING } from './algorithms.ts';

/** Prometheus recording rule. */
export interface Rule {
  readonly record: string;
  readonly expr: string;
}

/** Names of the four recorded metrics of a node, plain or relative to the mean. */
export interface Columns {
  readonly cu: string;
  readonly cp: string;
  readonly mu: string;
  readonly mp: string;
}

/** Divides a vector by its maximum. The result is zero if all values are, apart from rounding. */
export function ratioOfMax(vector: string): string {
  return `${vector} / on () group_left () (max(${vector}) > ${NOTHING}) or ${vector} * 0`;
}
