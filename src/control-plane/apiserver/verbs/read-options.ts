import { type FieldError, forbidden, notSupported } from '#platform/base/field-error';
import { invalid } from '../api-error.ts';
import type { AnnounceWork } from '../flow-control/work.ts';

/** Version options of a list or watch. */
export interface ReadOptions {
  /** Announces long work. Absent if the reader is never made to wait. */
  readonly work?: AnnounceWork;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly continue?: string;
  readonly sendInitialEvents?: boolean;
}

const MATCH = 'resourceVersionMatch';
const WITH_CONTINUE = forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided');

/** Rejects a list with incompatible options. */
export function checkListOptions(options: ReadOptions): void {
  refuse(validateList(options));
}

/** Rejects a watch with incompatible options. */
export function checkWatchOptions(options: ReadOptions): void {
  refuse(validateWatch(options));
}

function refuse(causes: readonly FieldError[]): void {
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
}

function validateList(options: ReadOptions): FieldError[] {
  const { resourceVersion: version = '', resourceVersionMatch: match = '', sendInitialEvents } = options;
  const causes: FieldError[] = [];
  if (match !== '') {
    if (version === '') causes.push(forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    if ((options.continue ?? '') !== '') causes.push(WITH_CONTINUE);
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && version === '0') {
      causes.push(forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (sendInitialEvents !== undefined) {
    causes.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return causes;
}

function validateWatch(options: ReadOptions): FieldError[] {
  const { resourceVersionMatch: match = '', sendInitialEvents } = options;
  const causes: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    causes.push(forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      causes.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== 'NotOlderThan') causes.push(notSupported(MATCH, match, ['NotOlderThan']));
    if ((options.continue ?? '') !== '') causes.push(WITH_CONTINUE);
  }
  return causes;
}
