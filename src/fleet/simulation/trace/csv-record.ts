import type { TracePlace, TraceProblems } from './problems.ts';

/** One cell of a line. The column counts characters from 1. */
interface Cell {
  readonly text: string;
  readonly column: number;
}

/** Line of comma-separated values whose cells are read by the names of their columns. */
export class CsvRecord {
  readonly #cells: ReadonlyMap<string, Cell>;
  readonly #place: Omit<TracePlace, 'column'>;
  readonly #problems: TraceProblems;

  private constructor(cells: ReadonlyMap<string, Cell>, place: Omit<TracePlace, 'column'>, problems: TraceProblems) {
    this.#cells = cells;
    this.#place = place;
    this.#problems = problems;
  }

  /** Parses a line. Returns undefined for an empty one, for a header, and for one with too few cells, which is a problem. */
  static parse(
    text: string,
    columns: readonly string[],
    place: Omit<TracePlace, 'column'>,
    problems: TraceProblems,
  ): CsvRecord | undefined {
    if (text.trim() === '') return undefined;
    const cells = splitCells(text);
    if (
      place.line === 1 &&
      cells[0]?.text.toLowerCase().replaceAll(/[^a-z]/g, '') === columns[0]?.replaceAll(/[^a-z]/g, '')
    )
      return undefined;
    if (cells.length < columns.length) {
      const missing = columns[cells.length];
      problems.add(
        { ...place, column: text.length + 1 },
        `${cells.length} columns, but ${columns.length} are needed: ${missing} is missing`,
      );
      return undefined;
    }
    const named = columns.map((column, at) => [column, cells[at] as Cell] as const);
    return new CsvRecord(new Map(named), place, problems);
  }

  /** Returns a text that must not be empty, or undefined with a problem. */
  text(column: string): string | undefined {
    const { text } = this.#cell(column);
    return text === '' ? this.#reject(column, 'it is empty') : text;
  }

  /** Returns a number from 0, or undefined with a problem. */
  number(column: string, isValid: (value: number) => boolean = (value) => value >= 0): number | undefined {
    const { text } = this.#cell(column);
    const value = Number(text);
    if (text === '' || !Number.isFinite(value)) return this.#reject(column, `${quote(text)} is not a number`);
    return isValid(value) ? value : this.#reject(column, `${quote(text)} is out of range`);
  }

  /** Returns a number from 0, or undefined if the cell is empty, as it is where nothing was measured. */
  measured(column: string): number | undefined {
    return this.#cell(column).text === '' ? undefined : this.number(column);
  }

  /** Returns a size that is a number, or a lower bound such as `>24`. */
  bucket(column: string): number | undefined {
    const { text } = this.#cell(column);
    const [, size] = /^>?\s*(\d+(?:\.\d+)?)$/.exec(text) ?? [];
    const value = Number(size);
    return size === undefined || value <= 0
      ? this.#reject(column, `${quote(text)} is not a size such as 4 or >24`)
      : value;
  }

  #cell(column: string): Cell {
    return this.#cells.get(column) ?? { text: '', column: 1 };
  }

  #reject(column: string, why: string): undefined {
    this.#problems.add({ ...this.#place, column: this.#cell(column).column }, `${column}: ${why}`);
    return undefined;
  }
}

const quote = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Splits a line as RFC 4180 describes. Quoted cells must not contain line breaks, and those of traces never do. */
function splitCells(line: string): Cell[] {
  const cells: Cell[] = [];
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)/gy;
  while (pattern.lastIndex <= line.length) {
    const column = pattern.lastIndex + 1;
    const found = pattern.exec(line);
    if (found === null) return [...cells, { text: line.slice(column - 1), column }];
    cells.push({ text: found[1]?.replaceAll('""', '"') ?? found[2] ?? '', column });
    if (!found[0].endsWith(',')) break;
  }
  return cells;
}
