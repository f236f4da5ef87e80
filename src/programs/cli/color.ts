type Paint = (text: string) => string;

/** Functions that color a text, or leave it as it is where colors are off. */
export interface Palette {
  readonly bold: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

/** SGR parameters of ECMA-48 that begin and end each style. */
const STYLES = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export function palette(enabled: boolean): Palette {
  const paint = ([begin, end]: readonly [number, number]): Paint =>
    enabled ? (text) => `\u001b[${begin}m${text}\u001b[${end}m` : (text) => text;
  return { bold: paint(STYLES.bold), red: paint(STYLES.red), green: paint(STYLES.green), yellow: paint(STYLES.yellow) };
}

/**
 * Reports whether to color what is written to a stream: on a terminal that has colors, or anywhere if FORCE_COLOR is
 * set. NO_COLOR turns colors off in any case.
 */
export function hasColors(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: force, TERM: terminal } = env;
  if (none !== '') return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return isTerminal && terminal !== 'dumb';
}

const GOOD = /^(?:Running|Succeeded|Ready|Completed)$/;
const BAD = /Fail|Error|Err|CrashLoop|BackOff|Unschedulable|Unknown/;

/** Colors the state of a VM: green if it is well, red if something is wrong, yellow while something is in progress. */
export function paintState(state: string, { green, red, yellow }: Palette): string {
  if (GOOD.test(state)) return green(state);
  if (BAD.test(state)) return red(state);
  return state === 'Stopped' || state === '' ? state : yellow(state);
}
