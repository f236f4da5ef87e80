import { type Curve, extentOf } from './curves.ts';

const WIDTH = 64;
const HEIGHT = 16;
const MARKS = 'abcdefgh';

/** Draws curves in a terminal, one letter each. Where several meet, the first is shown. */
export function curvesPlot(title: string, curves: readonly Curve[]): string {
  const { steps, most: max } = extentOf(curves);
  const canvas = Array.from({ length: HEIGHT }, () => Array.from({ length: WIDTH }, () => ' '));
  for (const [at, { values }] of [...curves.entries()].reverse()) {
    for (const [step, value] of values.entries()) {
      const line = canvas[HEIGHT - 1 - Math.round((value / max) * (HEIGHT - 1))];
      if (line !== undefined) line[Math.round((step / steps) * (WIDTH - 1))] = MARKS[at] ?? '?';
    }
  }
  const lines = canvas.map((line, at) => {
    const label = at === 0 ? max.toFixed(3) : at === HEIGHT - 1 ? '0.000' : '';
    return `${label.padStart(6)} |${line.join('')}`.trimEnd();
  });
  const axis = `       +${'-'.repeat(WIDTH)}\n        0${`${steps} steps`.padStart(WIDTH - 1)}`;
  const legend = curves.map(({ name }, at) => `  ${MARKS[at] ?? '?'}  ${name}`);
  return `${[`${title}: mean of the standard deviations of CPU and memory`, ...lines, axis, ...legend].join('\n')}\n`;
}
