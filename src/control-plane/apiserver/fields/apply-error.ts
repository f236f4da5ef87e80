import { VimanaError } from '#platform/base/errors';
import { goQuote } from '#platform/base/go-value';
import { type FieldSet, printPaths } from './field-set.ts';
import type { Manager } from './managers.ts';

/** Thrown if a configuration cannot be applied; `status`, `reason` and `message` are those of the server's response. */
export class ApplyError extends VimanaError {
  readonly status: 400 | 500;
  readonly reason: 'BadRequest' | '';

  constructor(reason: 'BadRequest' | '', message: string) {
    super('APPLY', message);
    this.reason = reason;
    this.status = reason === '' ? 500 : 400;
  }
}

/** Describes a field that another manager owns with another value. */
export interface Conflict {
  /** Manager as messages name it: "kubectl-edit" using v1. */
  readonly manager: string;
  readonly path: string;
}

export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  readonly message: string;
  readonly field: string;
}

/** Thrown if a configuration would change fields of other managers without force. */
export class ApplyConflictError extends VimanaError {
  readonly status = 409;
  readonly reason = 'Conflict';
  readonly conflicts: readonly Conflict[];

  /** Conflicts are grouped by manager. */
  constructor(conflicts: readonly Conflict[]) {
    super('APPLY_CONFLICT', conflictMessage(conflicts));
    this.conflicts = conflicts;
  }

  /** Returns the causes of the Status that reports this. */
  get causes(): readonly ConflictCause[] {
    return this.conflicts.map(({ manager, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${manager}`,
      field: path,
    }));
  }
}

/** Returns the conflicts with one manager, which owns these fields. */
export function conflictsWith(manager: Manager, fields: FieldSet): readonly Conflict[] {
  const text = describe(manager);
  return printPaths(fields).map((path) => ({ manager: text, path }));
}

function describe({ manager, operation, apiVersion, subresource }: Manager): string {
  const within = subresource === '' ? '' : ` with subresource ${goQuote(subresource)}`;
  return `${goQuote(manager)}${within}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.path}`;
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const lines = [...byManager].flatMap(([manager, own]) => [
    `conflicts with ${manager}:`,
    ...own.map(({ path }) => `- ${path}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}
