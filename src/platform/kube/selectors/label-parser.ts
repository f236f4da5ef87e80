import { ParseError } from '#platform/base/errors';
import { checkLabelKey, type LabelOperator, type LabelRequirement, labelRequirement } from './label-requirement.ts';

/** Operator (`=`, `!=`, `(`, ...), word, or the end, which has no text. */
interface Token {
  readonly kind: 'sign' | 'word' | 'end';
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const TOKEN = /(?<space>[ \t\r\n]+)|(?<sign>==|!=|[=!(),<>])|[^ \t\r\n=!(),<>]+/g;

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/** Parses `a=b,c in (x,y),!d` to its requirements in the order of the text, with the errors of Kubernetes. */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  const input = new Input(text);
  const requirements: LabelRequirement[] = [];
  if (input.peek === END) return requirements;
  if (!startsRequirement(input.peek)) throw input.unexpected("!, identifier, or 'end of string'");
  for (;;) {
    requirements.push(requirement(input));
    if (input.peek === END) return requirements;
    if (!input.skip(',')) throw input.unexpected("',' or 'end of string'");
    if (!startsRequirement(input.peek)) throw input.unexpected("identifier after ','");
  }
}

class Input {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(text: string) {
    for (const { groups, 0: found } of text.matchAll(TOKEN)) {
      if (groups?.['space'] === undefined) {
        this.#tokens.push({ kind: groups?.['sign'] === undefined ? 'word' : 'sign', text: found });
      }
    }
  }

  get peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  /** Reports whether a requirement may end here. */
  get atBreak(): boolean {
    return this.peek.kind === 'end' || this.peek.text === ',';
  }

  take(): Token {
    const token = this.peek;
    this.#at++;
    return token;
  }

  /** Consumes the sign if it is next, and returns whether it was. */
  skip(sign: string): boolean {
    const next = this.peek.kind === 'sign' && this.peek.text === sign;
    if (next) this.#at++;
    return next;
  }

  unexpected(expected: string, comma = ','): ParseError {
    return new ParseError(`found '${this.peek.text}'${comma} expected: ${expected}`);
  }
}

const startsRequirement = (token: Token) => token.kind === 'word' || (token.kind === 'sign' && token.text === '!');

function requirement(input: Input): LabelRequirement {
  try {
    const absent = input.skip('!');
    if (input.peek.kind !== 'word') throw input.unexpected('identifier');
    const key = input.take().text;
    checkLabelKey(key);
    if (absent) return labelRequirement(key, '!', []);
    if (input.atBreak) return labelRequirement(key, 'exists', []);
    const operator = OPERATORS.get(input.peek.text);
    if (operator === undefined) throw input.unexpected('in, notin, =, ==, !=, gt, lt');
    input.take();
    const values = operator === 'in' || operator === 'notin' ? valueList(input) : [exactValue(input)];
    return labelRequirement(key, operator, values);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError(`unable to parse requirement: ${error.message}`, { cause: error });
  }
}

/** Reads the value after `=`. Without one, it is the empty value. */
function exactValue(input: Input): string {
  if (input.atBreak) return '';
  if (input.peek.kind !== 'word') throw input.unexpected('identifier');
  return input.take().text;
}

/** Reads the values between parentheses, sorted. Nothing between two commas is the empty value. */
function valueList(input: Input): string[] {
  if (!input.skip('(')) throw input.unexpected("'('", '');
  const values = new Set<string>();
  if (input.skip(')')) return [''];
  if (input.peek.kind !== 'word' && input.peek.text !== ',') throw input.unexpected("',', ')' or identifier");
  for (;;) {
    if (input.peek.kind === 'word') {
      values.add(input.take().text);
      if (input.peek.text !== ',' && input.peek.text !== ')') throw input.unexpected("',' or ')'");
    } else if (input.skip(',')) {
      if (values.size === 0 || input.peek.text === ')') values.add('');
      else if (input.skip(',')) values.add('');
    } else if (input.skip(')')) return [...values].sort();
    else throw input.unexpected("',', or identifier");
  }
}
