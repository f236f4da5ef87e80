import type { Cell, Listed } from './cell.ts';

/** Table by which `kubectl get` prints one resource. */
export interface ResourceTable<T extends Listed = Listed> {
  readonly columns: readonly Column[];
  /** Returns the cells of one object, in the order of the columns. */
  cells(object: T, now: number): Cell[];
  /** Returns the conditions of a row, for example that its object is completed. */
  conditions?(object: T): readonly object[] | undefined;
  /** Sort order of a list that is not sorted by name. */
  compare?(a: T, b: T): number;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Priority of a column, which is shown only in wide output if it is above 0. */
  readonly priority: number;
}
