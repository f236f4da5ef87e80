import { ParseError } from '#platform/base/errors';
import type { ReadField, SelectableFields } from './selectable-fields.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Selects objects by some of their fields. All requirements must hold. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** Returns the value that a field must have, if the selector requires exactly one. */
  exact(field: string): string | undefined;
  /** Returns the predicate for objects of one resource. Throws a ParseError if the resource has no such field. */
  on(fields: SelectableFields): (object: object) => boolean;
  /** Returns the canonical text, which parses to the same selector. */
  toString(): string;
}

/** Parses the text of `?fieldSelector=`. Throws a ParseError with the message of the API server. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const [, field = '', sign = '', escaped = ''] = /^(.*?)(!=|==|=)(.*)$/su.exec(term) ?? [];
    if (sign === '') throw new ParseError(`invalid selector: '${text}'; can't understand '${term}'`);
    const value = unescapeValue(escaped);
    // A term with nothing on either side requires nothing.
    if (field !== '' || value !== '') requirements.push({ field, operator: sign === '!=' ? '!=' : '=', value });
  }
  return selectorOf(requirements);
}

function selectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    exact: (field) => requirements.find((item) => item.field === field && item.operator === '=')?.value,
    on(fields) {
      const matchers = requirements.map((item) => matcherOf(item, fields.read(item.field)));
      const [only, second] = matchers;
      if (only !== undefined && second === undefined) return only;
      return (object) => {
        for (const matches of matchers) if (!matches(object)) return false;
        return true;
      };
    },
    toString: () => requirements.map((item) => `${item.field}${item.operator}${escapeValue(item.value)}`).join(','),
  };
}

function matcherOf({ operator, value }: FieldRequirement, read: ReadField): (object: object) => boolean {
  return operator === '=' ? (object) => read(object) === value : (object) => read(object) !== value;
}

/** Splits at commas that are not escaped. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

/** Escapes the special characters of a field selector, so that any text can be a value. */
export function escapeValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, '\\$&');
}

function unescapeValue(text: string): string {
  let value = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '\\') {
      i++;
      const escaped = String.fromCodePoint(...(i < text.length ? [text.codePointAt(i) ?? 0] : []));
      if (!/^[\\,=]$/.test(escaped))
        throw new ParseError(`invalid field selector: invalid escape sequence: \\${escaped}`);
      value += escaped;
    } else if (char === ',' || char === '=') {
      throw new ParseError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else value += char;
  }
  return value;
}
