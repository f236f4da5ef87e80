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
 * One reason why input is rejected. `field` is the path as Kubernetes prints it (spec.disks[0].name,
 * metadata.labels[a/b]), or '' for the whole object; an absent `value` is left out of the text, and null is printed.
 */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}

/** Reports that a required value is missing or empty. */
export function required(field: string, detail = ''): FieldError {
  return { type: 'Required', field, detail };
}

/** Reports that a value is malformed or out of bounds. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'Invalid', field, value, detail };
}

/** Reports that a value is none of the supported values. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(goQuote).join(', ')}` : '';
  return { type: 'NotSupported', field, value, detail };
}

/** Reports that a value that must be unique occurs twice. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'Duplicate', field, value, detail: '' };
}

/** Reports that a well-formed value is not permitted under the present conditions. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, detail };
}

/** Reports that text has more bytes than allowed, without repeating the text. A negative maximum is not printed. */
export function tooLong(field: string, maxBytes: number): FieldError {
  const detail = maxBytes < 0 ? 'value is too long' : `may not be more than ${count(maxBytes, 'byte')}`;
  return { type: 'TooLong', field, detail };
}

/** Reports that a list or map has more entries than allowed. A negative count or maximum is not printed. */
export function tooMany(field: string, actual: number, max: number): FieldError {
  const detail = max < 0 ? 'has too many items' : `must have at most ${count(max, 'item')}`;
  return { type: 'TooMany', field, ...(actual < 0 ? {} : { value: actual }), detail };
}

/** Reports that a value has a different JSON type than its schema requires. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'TypeInvalid', field, value, detail };
}

/** Reports that something the value refers to does not exist. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: 'NotFound', field, value, detail: '' };
}

/** Reports that the check itself failed, through no fault of the input. */
export function internalError(field: string, detail: string): FieldError {
  return { type: 'InternalError', field, detail };
}

/** Returns the path of a named field of an object. */
export function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Returns the path of an item of a list. */
export function index(path: string, i: number): string {
  return `${path}[${i}]`;
}

/** Returns the path of an entry of a map, such as a label. */
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

/** Returns the reason of the StatusCause that reports this error. */
export function causeReason(error: FieldError): string {
  return KINDS[error.type].reason;
}

/** Formats the error without its field, as in the message of a StatusCause. */
export function fieldErrorBody(error: FieldError): string {
  const { text, printsValue } = KINDS[error.type];
  const value = printsValue && error.value !== undefined ? `: ${formatValue(error.value)}` : '';
  return `${text}${value}${error.detail === '' ? '' : `: ${error.detail}`}`;
}

/** Formats the whole error as the API server prints it. An empty path is printed as `<nil>`. */
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
    // Only nesting deeper than the stack gets here, and its sender knows what it looks like.
    return '<nested too deeply>';
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
