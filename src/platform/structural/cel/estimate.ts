import type { Type } from './types.ts';

/** Range of a cost, or of the size of a value. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Maximum of 64 bits, which stands for an unknown size. */
export const MAX_COST = 2 ** 64;

export const exactRange = (value: number): Range => ({ min: value, max: value });
export const UNKNOWN: Range = { min: 0, max: MAX_COST };
export const ZERO = exactRange(0);
export const ONE = exactRange(1);

export function addRanges(a: Range, b: Range): Range {
  return { min: Math.min(MAX_COST, a.min + b.min), max: Math.min(MAX_COST, a.max + b.max) };
}

export function multiply(a: Range, b: Range): Range {
  return { min: Math.min(MAX_COST, a.min * b.min), max: Math.min(MAX_COST, a.max * b.max) };
}

/** Scales a range and rounds up, since half a step is a step. */
export function scale(a: Range, factor: number): Range {
  return { min: Math.min(MAX_COST, Math.ceil(a.min * factor)), max: Math.min(MAX_COST, Math.ceil(a.max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Static facts that a schema gives about values: their type, and their maximum number of parts. */
export interface Shape {
  readonly type: Type;
  /** Maximum length of a text, or number of items or entries. Zero for scalars and objects. */
  readonly most: number;
  readonly fields?: ReadonlyMap<string, Shape>;
  readonly items?: Shape;
  readonly keys?: Shape;
}
