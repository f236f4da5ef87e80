import type { Issue } from './source.ts';

type TokenKind = 'op' | 'word' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const OPERATORS = ['==', '!=', '<=', '>=', '&&', '||', ...'<>+-*/%!?:.,()[]{}'];
const SPACE = /[ \t\r\n\f]+|\/\/[^\n]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+[uU]?/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED = /`[A-Za-z0-9_.\-/ ]+`/y;
const ESCAPE =
  String.raw`\\(?:[abfnrtv"'\\?` +
  '`' +
  String.raw`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;

/** The four string quotes, raw or not. Longer quotes come first, since two quotes are also an empty string. */
const STRINGS = ['"""', "'''", '"', "'"].map((quote) => {
  const char = quote.charAt(0);
  const plain = quote.length === 3 ? '[^\\\\]' : `[^\\\\${char}\\n\\r]`;
  const raw = quote.length === 3 ? '[^]' : `[^${char}\\n\\r]`;
  return {
    quote,
    cooked: new RegExp(`${quote}(?:${ESCAPE}|${plain})*?${quote}`, 'y'),
    raw: new RegExp(`${quote}${raw}*?${quote}`, 'y'),
  };
});

/** Splits an expression into tokens. Invalid text is reported and skipped. */
export function tokenize(source: string, issues: Issue[]): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    const space = take(SPACE);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const token = stringAt(source, at) ?? numberAt(take(NUMBER), at) ?? wordAt(take(WORD), take(QUOTED), at);
    const found = token ?? operatorAt(source, at);
    if (found !== undefined) {
      tokens.push(found);
      at += found.text.length;
      continue;
    }
    const text = unknownAt(source, at);
    issues.push({ offset: at, message: `Syntax error: token recognition error at: '${text}'` });
    at += text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
  return tokens;
}

function stringAt(source: string, at: number): Token | undefined {
  const prefix = /[rRbB]{0,2}(?=["'])/y;
  prefix.lastIndex = at;
  const letters = prefix.exec(source)?.[0];
  if (letters === undefined || /^(?:rr|bb)$/i.test(letters)) return undefined;
  const kind = /b/i.test(letters) ? 'bytes' : 'string';
  const start = at + letters.length;
  for (const { quote, cooked, raw } of STRINGS) {
    if (!source.startsWith(quote, start)) continue;
    const pattern = /r/i.test(letters) ? raw : cooked;
    pattern.lastIndex = start;
    const body = pattern.exec(source)?.[0];
    if (body !== undefined) return { kind, text: letters + body, at };
  }
  return undefined;
}

function numberAt(text: string | undefined, at: number): Token | undefined {
  if (text === undefined) return undefined;
  if (/[uU]$/.test(text)) return { kind: 'uint', text, at };
  const whole = /^0[xX]/.test(text) || /^[0-9]+$/.test(text);
  return { kind: whole ? 'int' : 'float', text, at };
}

function wordAt(word: string | undefined, quoted: string | undefined, at: number): Token | undefined {
  if (word !== undefined) return { kind: word === 'in' ? 'op' : 'word', text: word, at };
  return quoted === undefined ? undefined : { kind: 'word', text: quoted, at };
}

function operatorAt(source: string, at: number): Token | undefined {
  const text = OPERATORS.find((operator) => source.startsWith(operator, at));
  return text === undefined ? undefined : { kind: 'op', text, at };
}

/** Returns the invalid text to quote: the rest of a broken string, or the characters that began an operator. */
function unknownAt(source: string, at: number): string {
  const char = source.charAt(at);
  if (char === '"' || char === "'") {
    const broken = new RegExp(`${char}(?:${ESCAPE}|[^\\\\${char}\\n\\r])*(?:\\\\.?)?`, 'y');
    broken.lastIndex = at;
    return broken.exec(source)?.[0] ?? char;
  }
  if ('=&|'.includes(char)) return source.slice(at, at + 2);
  return String.fromCodePoint(source.codePointAt(at) ?? 0);
}
