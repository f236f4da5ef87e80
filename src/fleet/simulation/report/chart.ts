/** Line of a chart with one value for each time. */
export interface Line {
  readonly name: string;
  readonly values: readonly number[];
}

export interface ChartData {
  readonly title: string;
  /** Unit of the values. Ratios are shown in percent. */
  readonly unit: 'share' | 'count';
  /** Seconds from the start, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** Threshold that is drawn as a horizontal line. */
  readonly limit?: number;
  /**
   * Steps for values that hold from one time to the next, such as counts: a line between them would show values that
   * never were. A value describes the time before it.
   */
  readonly shape?: 'line' | 'step';
  readonly markers?: readonly Marker[];
}

/** Event that is drawn as a vertical line with a number. */
export interface Marker {
  readonly t: number;
  readonly number: string;
  readonly title: string;
}

const LEFT = 52;
const TOP = 24;
const WIDTH = 840;
const HEIGHT = 200;
const MAX_POINTS = 600;
/** Distance below which the number of a marker would cover that of the one before. */
const MIN_NUMBER_DISTANCE = 16;

/** Renders curves over time as a standalone SVG. Its colors are those of the page. */
export function chart({ title, unit, times, lines, limit, shape = 'line', markers = [] }: ChartData): string {
  const end = Math.max(1, times.at(-1) ?? 1);
  const max = niceMax(Math.max(limit ?? 0, ...lines.map(({ values }) => largest(values))), unit);
  const x = (t: number) => (LEFT + (t / end) * WIDTH).toFixed(1);
  const y = (value: number) => (TOP + (1 - value / max) * HEIGHT).toFixed(1);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const height = y(part * max);
    return `<path class="grid" d="M${LEFT} ${height}h${WIDTH}"/><text x="${LEFT - 8}" y="${height}" text-anchor="end" dominant-baseline="middle">${label(part * max, unit)}</text>`;
  });
  const hours = ticks(end).map(
    (t) => `<text x="${x(t)}" y="${TOP + HEIGHT + 18}" text-anchor="middle">${formatTime(t)}</text>`,
  );
  const every = Math.max(1, Math.ceil(times.length / MAX_POINTS));
  const curves = lines.map(({ name, values }, at) => {
    const thin = thinOut(times, values, every);
    const drawn = shape === 'step' ? toSteps(thin) : thin;
    const points = drawn.map(([t, value]) => `${x(t)},${y(Math.min(max, value))}`);
    return `<polyline class="line line-${at % COLORS}" points="${points.join(' ')}"><title>${escapeXml(name)}</title></polyline>`;
  });
  const border = limit === undefined ? '' : `<path class="limit" d="M${LEFT} ${y(limit)}h${WIDTH}"/>`;
  const legend = lines
    .map(({ name }, at) => `<span class="key key-${at % COLORS}"></span>${escapeXml(name)}`)
    .join('&emsp;');
  return [
    `<figure><figcaption><b>${escapeXml(title)}</b><br>${legend}</figcaption>`,
    `<svg viewBox="0 0 ${LEFT + WIDTH + 20} ${TOP + HEIGHT + 30}" role="img" aria-label="${escapeXml(title)}">`,
    ...grid,
    ...hours,
    ...markerLines(markers, (t) => LEFT + (t / end) * WIDTH),
    border,
    ...curves,
    '</svg></figure>',
  ].join('\n');
}

/** Renders markers. Close ones share the first number. */
function markerLines(markers: readonly Marker[], x: (t: number) => number): string[] {
  let last = Number.NEGATIVE_INFINITY;
  return markers.map(({ t, number, title }) => {
    const at = x(t);
    const isFree = at - last >= MIN_NUMBER_DISTANCE;
    if (isFree) last = at;
    const text = isFree
      ? `<text x="${at.toFixed(1)}" y="${TOP - 6}" text-anchor="middle">${escapeXml(number)}</text>`
      : '';
    return `<g class="marker"><path d="M${at.toFixed(1)} ${TOP}v${HEIGHT}"/>${text}<title>${escapeXml(title)}</title></g>`;
  });
}

/** Holds each value from the time before it. */
function toSteps(points: readonly (readonly [number, number])[]): [number, number][] {
  return points.flatMap(([t, value], at): [number, number][] => [
    [points[at - 1]?.[0] ?? 0, value],
    [t, value],
  ]);
}

/** Number of colors that the page has. */
const COLORS = 4;

/** Returns the highest of every few values, so that no peak is lost. */
function thinOut(times: readonly number[], values: readonly number[], every: number): [number, number][] {
  const points: [number, number][] = [];
  for (let at = 0; at < times.length; at += every) {
    points.push([times[at] ?? 0, largest(values.slice(at, at + every))]);
  }
  return points;
}

const largest = (values: readonly number[]) => values.reduce((found, value) => Math.max(found, value), 0);

/** Returns the end of the axis: a round number a little beyond the largest value. */
function niceMax(value: number, unit: ChartData['unit']): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const max = ([1, 2, 4, 5, 8, 10].find((step) => step * power >= value) ?? 10) * power;
  return unit === 'count' ? Math.max(4, max) : max;
}

function label(value: number, unit: ChartData['unit']): string {
  return unit === 'share' ? `${Number((value * 100).toFixed(2))}%` : `${Number(value.toFixed(2))}`;
}

const STEPS = [60, 300, 600, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 604_800];

function ticks(end: number): number[] {
  const step = STEPS.find((each) => end / each <= 12) ?? Math.ceil(end / 12);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, at) => at * step);
}

/** Formats simulated time since the start as hours and minutes. */
export function formatTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
