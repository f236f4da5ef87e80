import { type Curve, extentOf } from './curves.ts';

const LEFT = 60;
const TOP = 40;
const WIDTH = 640;
const HEIGHT = 300;
const LINE = 18;
/** Palette of Okabe and Ito, which color-blind readers can tell apart. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#999999'];

/** Draws curves as a self-contained SVG. */
export function curvesSvg(title: string, curves: readonly Curve[]): string {
  const { steps, most: max } = extentOf(curves);
  const x = (step: number) => (LEFT + (step / steps) * WIDTH).toFixed(1);
  const y = (value: number) => (TOP + (1 - value / max) * HEIGHT).toFixed(1);
  const bottom = TOP + HEIGHT;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const value = part * max;
    return `<path d="M${LEFT} ${y(value)}h${WIDTH}" stroke="#ddd"/><text x="${LEFT - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${value.toFixed(3)}</text>`;
  });
  const lines = curves.map(({ values }, at) => {
    const path = values.map((value, step) => `${x(step)},${y(value)}`).join(' ');
    return `<polyline points="${path}" fill="none" stroke="${COLORS[at % COLORS.length]}" stroke-width="2"/>`;
  });
  const legend = curves.map(({ name }, at) => {
    const height = bottom + 50 + at * LINE;
    return `<rect x="${LEFT}" y="${height - 9}" width="12" height="10" fill="${COLORS[at % COLORS.length]}"/><text x="${LEFT + 20}" y="${height}">${escapeXml(name)}</text>`;
  });
  const [width, height] = [LEFT + WIDTH + 20, bottom + 60 + curves.length * LINE];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="${LEFT}" y="22" font-size="14">${escapeXml(title)}: mean of the standard deviations of CPU and memory</text>`,
    ...grid,
    `<text x="${LEFT}" y="${bottom + 20}">0</text><text x="${LEFT + WIDTH}" y="${bottom + 20}" text-anchor="end">${steps} steps</text>`,
    ...lines,
    ...legend,
    '</svg>',
  ].join('\n')}\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
