import { goJson, goNumber, goQuote } from './go-value.ts';

export type FieldErrorType =
  | 'Required'
  | 'Invalid'
  | 'NotSupported'
  | 'Duplicate'
  | 'Forbidden'
  | 'TooLong'
  | 'TooMany'
  | 'TypeInvalid'
  | 'NotFound'
  | 'InternalError';

/**
 * One cause why input is refused, as plain data. `field` is the path as Kubernetes prints it (spec.disks[0].name,
 * metadata.labels[a/b]); '' is the whole object. An absent `value` is left out of the text; null is printed.
 */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}

/** A value that must be given is missing or empty. */
export function required(field: string, detail = ''): FieldError {
  return { type: 'Required', field, detail };
}

/** A value is malformed or out of bounds. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'Invalid', field, value, detail };
}

/** A value is none of the values that the field knows. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : '';
  return { type: 'NotSupported', field, value, detail };
}

/** A value that must be unique is there twice. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'Duplicate', field, value, detail: '' };
}

/** A well-formed value is not permitted under the present conditions. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, detail };
}

/** Text has more bytes than allowed; the text itself is not repeated. A negative maximum is not named. */
export function tooLong(field: string, maxBytes: number): FieldError {
  const detail = maxBytes < 0 ? 'value is too long' : `may not be more than ${count(maxBytes, 'byte')}`;
  return { type: 'TooLong', field, detail };
}

/** A list or map has more entries than allowed. A negative count or maximum is not named. */
export function tooMany(field: string, actual: number, max: number): FieldError {
  const detail = max < 0 ? 'has too many items' : `must have at most ${count(max, 'item')}`;
  return { type: 'TooMany', field, ...(actual < 0 ? {} : { value: actual }), detail };
}

/** A value has another JSON type than its schema asks for. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'TypeInvalid', field, value, detail };
}

/** Something that the value refers to does not exist. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: 'NotFound', field, value, detail: '' };
}

/** The check itself failed; the input is not to blame. */
export function internalError(field: string, detail: string): FieldError {
  return { type: 'InternalError', field, detail };
}

/** The path of a named field of an object. */
export function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The path of an item of a list. */
export function index(path: string, i: number): string {
  return `${path}[${i}]`;
}

/** The path of an entry of a map, such as a label. */
export function key(path: string, k: string): string {
  return `${path}[${k}]`;
}

const KINDS: Readonly<Record<FieldErrorType, { reason: string; text: string; printsValue: boolean }>> = {
  Required: { reason: 'FieldValueRequired', text: 'Required value', printsValue: false },
  Invalid: { reason: 'FieldValueInvalid', text: 'Invalid value', printsValue: true },
  NotSupported: { reason: 'FieldValueNotSupported', text: 'Unsupported value', printsValue: true },
  Duplicate: { reason: 'FieldValueDuplicate', text: 'Duplicate value', printsValue: true },
  Forbidden: { reason: 'FieldValueForbidden', text: 'Forbidden', printsValue: false },
  TooLong: { reason: 'FieldValueTooLong', text: 'Too long', printsValue: false },
  TooMany: { reason: 'FieldValueTooMany', text: 'Too many', printsValue: true },
  TypeInvalid: { reason: 'FieldValueTypeInvalid', text: 'Invalid value', printsValue: true },
  NotFound: { reason: 'FieldValueNotFound', text: 'Not found', printsValue: true },
  InternalError: { reason: 'InternalError', text: 'Internal error', printsValue: false },
};

/** The reason of the StatusCause that reports this error. */
export function causeReason(error: FieldError): string {
  return KINDS[error.type].reason;
}

/** The text of the error without its field, as a StatusCause's message has it. */
export function fieldErrorBody(error: FieldError): string {
  const { text, printsValue } = KINDS[error.type];
  const value = printsValue && error.value !== undefined ? `: ${formatValue(error.value)}` : '';
  return `${text}${value}${error.detail === '' ? '' : `: ${error.detail}`}`;
}

/** The whole text of the error, as the API server prints it; a path that is nothing is `<nil>` there. */
export function formatFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${fieldErrorBody(error)}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  try {
    return goJson(value);
  } catch {
    // Only nesting that is deeper than the stack gets here; whoever sent it knows what it looks like.
    return '<nested too deeply>';
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
