import type { Type } from './types.ts';

/** Between how much and how much something may cost, or how large a value may be. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** As much as 64 bits can count, which is what an unknown size is taken for. */
export const MAX_COST = 2 ** 64;

export const exactRange = (value: number): Range => ({ min: value, max: value });
export const UNKNOWN: Range = { min: 0, max: MAX_COST };
export const ZERO = exactRange(0);
export const ONE = exactRange(1);

export function add(a: Range, b: Range): Range {
  return { min: Math.min(MAX_COST, a.min + b.min), max: Math.min(MAX_COST, a.max + b.max) };
}

export function multiply(a: Range, b: Range): Range {
  return { min: Math.min(MAX_COST, a.min * b.min), max: Math.min(MAX_COST, a.max * b.max) };
}

/** Rounded up, since half a step is a step. */
export function scale(a: Range, factor: number): Range {
  return { min: Math.min(MAX_COST, Math.ceil(a.min * factor)), max: Math.min(MAX_COST, Math.ceil(a.max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** What a schema tells about values before there are any: their type, and how many parts they may have. */
export interface Shape {
  readonly type: Type;
  /** The longest text, the most items or entries; zero for scalars and objects. */
  readonly most: number;
  readonly fields?: ReadonlyMap<string, Shape>;
  readonly items?: Shape;
  readonly keys?: Shape;
}
