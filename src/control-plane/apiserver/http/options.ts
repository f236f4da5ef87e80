import {
  type FieldError,
  forbidden,
  invalid as invalidField,
  notSupported,
  required,
} from '#platform/base/field-error';
import { badRequest, invalid } from '../api-error.ts';
import type { ListOptions } from '../verbs/list.ts';

/** Parses the query parameters of a request, with the leniency and the errors of the API server. */

export function listOptions(query: URLSearchParams): ListOptions & { readonly timeoutSeconds?: number } {
  return {
    ...text(query, 'labelSelector'),
    ...text(query, 'fieldSelector'),
    ...text(query, 'continue'),
    ...text(query, 'resourceVersion'),
    ...text(query, 'resourceVersionMatch'),
    ...flagParameter(query, 'sendInitialEvents'),
    ...integerParameter(query, 'limit'),
    ...integerParameter(query, 'timeoutSeconds'),
  };
}

export function watchFlags(query: URLSearchParams): { allowWatchBookmarks?: boolean } {
  return flagParameter(query, 'allowWatchBookmarks');
}

export function isWatch(query: URLSearchParams): boolean {
  return flagParameter(query, 'watch').watch ?? false;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string | undefined;
  /** Options that the request itself specified. */
  readonly sent: { readonly fieldManager?: string; readonly fieldValidation?: string };
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly force: boolean | undefined;
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** `kind` names the options in error messages: CreateOptions, PatchOptions and so on. */
export function writeOptions(query: URLSearchParams, kind: string, applies = false): WriteOptions {
  const dryRun = query.getAll('dryRun');
  const validation = query.get('fieldValidation') ?? '';
  const fieldManager = query.get('fieldManager') ?? undefined;
  const causes: FieldError[] = [];
  if (dryRun.some((value) => value !== 'All')) causes.push(notSupported('dryRun', dryRun, ['All']));
  if (!VALIDATIONS.includes(validation)) causes.push(notSupported('fieldValidation', validation, VALIDATIONS));
  if (fieldManager !== undefined && fieldManager.length > 128) {
    causes.push({ type: 'TooLong', field: 'fieldManager', detail: 'may not be more than 128 bytes' });
  }
  if (fieldManager !== undefined && /[\p{C}\p{Zl}\p{Zp}]/u.test(fieldManager)) {
    causes.push(invalidField('fieldManager', fieldManager, 'should only contain printable characters'));
  }
  if (applies && fieldManager === undefined) causes.push(required('fieldManager', 'is required for apply patch'));
  if (!applies && query.has('force') && kind === 'PatchOptions') {
    causes.push(forbidden('force', 'may not be specified for non-apply patch'));
  }
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', causes);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    sent: { ...text(query, 'fieldManager'), ...text(query, 'fieldValidation') },
    fieldValidation: validation === '' ? 'Warn' : (validation as 'Strict' | 'Warn' | 'Ignore'),
    force: flagParameter(query, 'force').force,
  };
}

function text<K extends string>(query: URLSearchParams, name: K): { [P in K]?: string } {
  const value = query.get(name);
  return (value === null || value === '' ? {} : { [name]: value }) as { [P in K]?: string };
}

/** Parses a 64-bit integer. Errors have Go's wording. */
export function integerParameter<K extends string>(query: URLSearchParams, name: K): { [P in K]?: number } {
  const value = query.get(name);
  if (value === null || value === '') return {};
  if (!/^[+-]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  const number = BigInt(value.replace('+', ''));
  if (BigInt.asIntN(64, number) !== number) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  }
  return { [name]: Number(value) } as { [P in K]?: number };
}

const FALSE = new Set(['0', 'false']);

/**
 * Parses a flag. Every value but `0` and `false` sets it, including the empty one in `?watch` and one that is no
 * boolean.
 */
export function flagParameter<K extends string>(query: URLSearchParams, name: K): { [P in K]?: boolean } {
  const value = query.get(name);
  return (value === null ? {} : { [name]: !FALSE.has(value.toLowerCase()) }) as { [P in K]?: boolean };
}
