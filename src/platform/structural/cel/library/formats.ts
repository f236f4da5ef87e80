import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '#platform/base/names';
import { FORMATS as SCHEMA_FORMATS } from '../../formats.ts';
import { fn, type Library, method, typeConstant } from '../library.ts';
import { opaque } from '../types.ts';
import { ArrayList, Opaque, Optional } from '../values.ts';
import { urlProblem } from './urls.ts';

const FORMAT = opaque('kubernetes.NamedFormat');

type Check = (text: string) => readonly string[];

/** Checks the prefix of a generated name, which may end in a dash because a suffix follows. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);

const known =
  (name: string, problem: string): Check =>
  (text) =>
    SCHEMA_FORMATS.get(name)?.(text) === true ? [] : [problem];

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['dns1123Label', dns1123LabelProblems],
  ['dns1123Subdomain', dns1123SubdomainProblems],
  ['dns1035Label', dns1035LabelProblems],
  ['qualifiedName', qualifiedNameProblems],
  ['dns1123LabelPrefix', asPrefix(dns1123LabelProblems)],
  ['dns1123SubdomainPrefix', asPrefix(dns1123SubdomainProblems)],
  ['dns1035LabelPrefix', asPrefix(dns1035LabelProblems)],
  ['labelValue', labelValueProblems],
  ['uri', (text) => [urlProblem(text)].filter((problem) => problem !== undefined)],
  ['uuid', known('uuid', 'does not match the UUID format')],
  ['byte', known('byte', 'invalid base64')],
  ['date', known('date', 'invalid date')],
  ['datetime', known('datetime', 'invalid datetime')],
]);

const FORMATS: ReadonlyMap<string, Opaque> = new Map(
  [...CHECKS].map(([name, check]) => [name, new Opaque(FORMAT, check, name)]),
);

function validate(format: Opaque, text: string): Optional {
  const problems = (format.data as Check)(text);
  return problems.length === 0 ? Optional.none : new Optional(new ArrayList([...problems]));
}

export const NAMED_FORMATS: Library = {
  constants: new Map([typeConstant(FORMAT)]),
  overloads: [
    ...[...FORMATS].map(([name, format]) => fn(`format.${name}`, '-> kubernetes.NamedFormat', () => format)),
    fn('format.named', 'string -> optional(kubernetes.NamedFormat)', (name: string) => {
      const format = FORMATS.get(name);
      return format === undefined ? Optional.none : new Optional(format);
    }),
    method('validate', 'kubernetes.NamedFormat, string -> optional(list(string))', validate),
  ],
};
