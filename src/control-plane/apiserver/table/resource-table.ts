import type { Cell, Listed } from './cell.ts';

/** How `kubectl get` shows one resource. */
export interface ResourceTable<T extends Listed = Listed> {
  readonly columns: readonly Column[];
  /** The cells of one object, in the order of the columns. */
  cells(object: T, now: number): Cell[];
  /** What else is known of a row, such as that its object is done for good. */
  conditions?(object: T): readonly object[] | undefined;
  /** The order of a list where it is not by name. */
  compare?(a: T, b: T): number;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0 a column is shown only when wide output is asked for. */
  readonly priority: number;
}
