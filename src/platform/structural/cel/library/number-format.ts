const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Formats a double with a fixed number of decimals, optionally with commas between thousands. */
export function fixedPoint(value: number, places: number, grouped: boolean): string {
  if (!Number.isFinite(value)) return special(value);
  const negative = value < 0 || Object.is(value, -0);
  const text = roundToEven(Math.abs(value), places);
  const [whole = '', fraction] = text.split('.');
  const shown = grouped ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',') : whole;
  return `${negative ? '-' : ''}${shown}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** Formats a double as a mantissa with six decimals and a power of ten. */
export function scientific(value: number): string {
  if (!Number.isFinite(value)) return special(value);
  const [mantissa = '', power = ''] = value.toExponential(6).split('e');
  const digits = power
    .slice(1)
    .padStart(2, '0')
    .replaceAll(/\d/g, (digit) => SUPERSCRIPTS.charAt(Number(digit)));
  return `${mantissa}×10${power.startsWith('-') ? '⁻' : ''}${digits}`;
}

function special(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '∞' : '-∞';
}

/** Rounds half to even, whereas JavaScript always rounds up. */
function roundToEven(value: number, places: number): string {
  const [whole = '', fraction = ''] = exact(value).split('.');
  const digits = whole + fraction.slice(0, places).padEnd(places, '0');
  const rest = fraction.slice(places);
  const isHalf = /^50*$/.test(rest);
  const up = isHalf ? Number(digits.at(-1)) % 2 === 1 : rest > '5';
  const rounded = (BigInt(digits) + (up ? 1n : 0n)).toString().padStart(places + 1, '0');
  return places === 0 ? rounded : `${rounded.slice(0, -places)}.${rounded.slice(-places)}`;
}

/** Number of decimals that covers all relevant digits of a double. No tie has more than a hundred. */
const PLACES = 100;

function exact(value: number): string {
  return value < 1e21 ? value.toFixed(PLACES) : BigInt(value).toString();
}
