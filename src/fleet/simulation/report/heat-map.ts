import { escapeXml, formatTime } from './chart.ts';

const COLUMNS = 96;
const ROWS = 100;
/** Width of the whole map with the names of its nodes. */
const WIDTH = 892;
const ROW = 13;
const CHARACTER = 6.2;
const MAX_NAME = 26;
/** Ratios from which a cell has the next color. */
const LEVELS = [0.25, 0.5, 0.7, 0.9, 1];

/** Records the load of each node in each interval, with a limited number of rows and columns for any simulation. */
export class HeatMap {
  readonly #end: number;
  /** Highest value of each interval by node. -1 while the node was down, NaN without a sample. */
  readonly #rows = new Map<string, Float32Array>();
  #hidden = 0;

  constructor(end: number) {
    this.#end = Math.max(1, end);
  }

  /** Adds a value. One below 0 means that the node was down. */
  add(t: number, node: string, value: number): void {
    let row = this.#rows.get(node);
    if (row === undefined) {
      if (this.#rows.size >= ROWS) {
        this.#hidden++;
        return;
      }
      row = new Float32Array(COLUMNS).fill(Number.NaN);
      this.#rows.set(node, row);
    }
    // A sample describes the time before it.
    const column = Math.min(COLUMNS - 1, Math.max(0, Math.ceil((t / this.#end) * COLUMNS) - 1));
    const before = row[column] ?? Number.NaN;
    row[column] = Number.isNaN(before) ? value : Math.max(before, value);
  }

  /**
   * Renders the map. Adjacent cells of the same color are one rectangle, which keeps the page small; cells after
   * `until` stay empty.
   */
  svg(title: string, until: number): string {
    const columns = Math.min(COLUMNS, Math.ceil((until / this.#end) * COLUMNS));
    const names = [...this.#rows.keys()].sort(compareNaturally);
    const longest = names.reduce((found, name) => Math.max(found, Math.min(MAX_NAME, name.length)), 4);
    const left = longest * CHARACTER + 10;
    const cell = (WIDTH - left) / COLUMNS;
    const height = names.length * ROW + 24;
    const labels = names.map(
      (name, at) =>
        `<text class="name" x="${(left - 6).toFixed(1)}" y="${at * ROW + 10}" text-anchor="end">${escapeXml(shorten(name))}</text>`,
    );
    const rects = names.flatMap((name, at) =>
      stretches(fillGaps(this.#rows.get(name) ?? new Float32Array()).subarray(0, columns)).map(
        ({ from, to, level }) =>
          `<rect class="heat-${level}" x="${(left + from * cell).toFixed(1)}" y="${at * ROW}" width="${((to - from) * cell).toFixed(1)}" height="${ROW - 1}"><title>${escapeXml(name)} ${formatTime((from / COLUMNS) * this.#end)} to ${formatTime((to / COLUMNS) * this.#end)}</title></rect>`,
      ),
    );
    const keys = [
      'down',
      ...LEVELS.map(
        (level, i) =>
          `${i === 0 ? 'below' : `${Math.round((LEVELS[i - 1] ?? 0) * 100)}% to`} ${Math.round(level * 100)}%`,
      ),
      'more',
    ];
    const legend = keys.map((key, level) => `<span class="key heat-${level - 1}"></span>${key}`).join('&emsp;');
    const note = this.#hidden > 0 ? ` (the first ${ROWS} nodes)` : '';
    return [
      `<figure><figcaption><b>${escapeXml(title)}${note}</b><br>${legend}</figcaption>`,
      `<svg viewBox="0 0 ${WIDTH + 20} ${height}" role="img" aria-label="${escapeXml(title)}">`,
      ...labels,
      ...rects,
      `<text x="${left.toFixed(1)}" y="${height - 6}">0:00</text><text x="${WIDTH}" y="${height - 6}" text-anchor="end">${formatTime(this.#end)}</text>`,
      '</svg></figure>',
    ].join('\n');
  }
}

const shorten = (name: string) => (name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`);

/** Fills gaps between samples with the next one, and after the last sample with the last one. */
function fillGaps(row: Float32Array): Float32Array {
  const filled = row.slice();
  for (let at = filled.length - 2; at >= 0; at--)
    if (Number.isNaN(filled[at])) filled[at] = filled[at + 1] ?? Number.NaN;
  for (let at = 1; at < filled.length; at++) if (Number.isNaN(filled[at])) filled[at] = filled[at - 1] ?? Number.NaN;
  return filled;
}

function stretches(row: Float32Array): { from: number; to: number; level: number }[] {
  const found: { from: number; to: number; level: number }[] = [];
  row.forEach((value, at) => {
    const level = value < 0 ? -1 : LEVELS.filter((each) => value >= each).length;
    const last = found.at(-1);
    if (last !== undefined && last.level === level) last.to = at + 1;
    else found.push({ from: at, to: at + 1, level });
  });
  return found;
}

/** Sorts node-2 before node-10. */
function compareNaturally(a: string, b: string): number {
  const [x, y] = [a, b].map((name) => /^(.*?)(\d*)$/.exec(name) ?? []);
  const prefix = (x?.[1] ?? '') < (y?.[1] ?? '') ? -1 : (x?.[1] ?? '') > (y?.[1] ?? '') ? 1 : 0;
  return prefix || Number(x?.[2] ?? 0) - Number(y?.[2] ?? 0);
}
