import { fn, type Library, method, typeConstant } from '../library.ts';
import { opaque } from '../types.ts';
import { EvaluationError, Opaque } from '../values.ts';

const SEMVER = opaque('kubernetes.Semver');
/** Version by the rules of semver.org. Build metadata after a plus sign does not affect the order. */
interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
}

/** Parses a version, or returns the problem with the text. */
function read(text: string): Version | string {
  if (text === '') return 'Version string empty';
  const [major = '', minor, ...others] = text.split('.');
  if (minor === undefined || others.length === 0) return 'No Major.Minor.Patch elements found';
  const [core = '', ...builds] = others.join('.').split('+');
  const [patch = '', ...pres] = core.split('-');
  const named: [string, string][] = [
    ['Major', major],
    ['Minor', minor],
    ['Patch', patch],
  ];
  for (const [name, digits] of named) {
    if (!/^[0-9]*$/.test(digits)) return `Invalid character(s) found in ${name.toLowerCase()} number "${digits}"`;
    if (/^0./.test(digits)) return `${name} number must not contain leading zeroes "${digits}"`;
    if (digits === '' || digits.length > 19) return `strconv.ParseUint: parsing "${digits}": invalid syntax`;
  }
  const pre = pres.length === 0 ? [] : pres.join('-').split('.');
  const build = builds.length === 0 ? [] : builds.join('+').split('.');
  const problem = pre.map(preProblem).find(Boolean) ?? build.map(buildProblem).find(Boolean);
  return problem ?? { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre };
}

function preProblem(part: string): string | undefined {
  if (part === '') return 'Prerelease is empty';
  if (/^0[0-9]+$/.test(part)) return `Numeric PreRelease version must not contain leading zeroes "${part}"`;
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in prerelease "${part}"`;
}

function buildProblem(part: string): string | undefined {
  if (part === '') return 'Build meta data is empty';
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in build meta data "${part}"`;
}

/** Normalizes common variants: a leading v, missing minor and patch, leading zeros. */
function normalize(text: string): string {
  const [core = '', ...rest] = text.replace(/^v/, '').split(/(?=[-+])/);
  const parts = core.split('.').map((part) => part.replace(/^0+(?=[0-9])/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest.join('');
}

function parse(text: string): Opaque {
  const version = read(text);
  if (typeof version === 'string') throw new EvaluationError(version);
  return new Opaque(SEMVER, version, `${version.numbers.join('.')}-${version.pre.join('.')}`);
}

function compare({ data: left }: Opaque, { data: right }: Opaque): number {
  const [a, b] = [left as Version, right as Version];
  for (let i = 0; i < 3; i++) {
    const [x, y] = [a.numbers[i] ?? 0n, b.numbers[i] ?? 0n];
    if (x !== y) return x < y ? -1 : 1;
  }
  // A version with a pre-release precedes the one without.
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  return comparePre(a.pre, b.pre);
}

function comparePre(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x = '', y = ''] = [a[i], b[i]];
    if (x === y) continue;
    const [isNumber, otherIsNumber] = [/^[0-9]+$/.test(x), /^[0-9]+$/.test(y)];
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    if (isNumber) return BigInt(x) < BigInt(y) ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

const part = (name: string, index: 0 | 1 | 2) =>
  method(name, 'kubernetes.Semver -> int', ({ data }: Opaque) => (data as Version).numbers[index]);

export const SEMVERS: Library = {
  constants: new Map([typeConstant(SEMVER)]),
  overloads: [
    fn('semver', 'string -> kubernetes.Semver', (text: string) => parse(text)),
    fn('semver', 'string, bool -> kubernetes.Semver', (text: string, lenient: boolean) =>
      parse(lenient ? normalize(text) : text),
    ),
    fn('isSemver', 'string -> bool', (text: string) => typeof read(text) !== 'string'),
    fn(
      'isSemver',
      'string, bool -> bool',
      (text: string, lenient: boolean) => typeof read(lenient ? normalize(text) : text) !== 'string',
    ),
    part('major', 0),
    part('minor', 1),
    part('patch', 2),
    method('isLessThan', 'kubernetes.Semver, kubernetes.Semver -> bool', (a: Opaque, b: Opaque) => compare(a, b) < 0),
    method(
      'isGreaterThan',
      'kubernetes.Semver, kubernetes.Semver -> bool',
      (a: Opaque, b: Opaque) => compare(a, b) > 0,
    ),
    method('compareTo', 'kubernetes.Semver, kubernetes.Semver -> int', (a: Opaque, b: Opaque) => BigInt(compare(a, b))),
  ],
};
