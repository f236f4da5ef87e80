import { binaryFromBase64 } from '#platform/base/base64';
import {
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
} from '#platform/base/field-error';
import { isCertificate } from '../is-certificate.ts';
import { same } from './field-checks.ts';

interface Condition {
  type?: string;
  status?: string;
}

export interface SigningStatus {
  certificate?: string;
  conditions?: Condition[];
}

interface SigningRequest {
  status?: SigningStatus;
}

const DECISIONS = ['Approved', 'Denied'];
/** Conditions that cannot be removed. */
const LASTING = [...DECISIONS, 'Failed'];
const CONDITIONS = 'status.conditions';
const CERTIFICATE = 'status.certificate';

const conditionsOf = ({ status }: SigningRequest, type: string) =>
  (status?.conditions ?? []).filter((condition) => condition.type === type);

/**
 * Retains decisions, which only the approval subresource changes. It applies if a write of the status has as many of
 * them.
 */
export function keepDecisions(object: SigningRequest, old: SigningRequest): void {
  const { status } = object;
  if (status?.conditions === undefined) return;
  const conditions = [...status.conditions];
  for (const type of DECISIONS) {
    const before = conditionsOf(old, type);
    if (conditionsOf(object, type).length !== before.length) continue;
    let next = 0;
    for (const [i, condition] of conditions.entries()) {
      const kept = condition.type === type ? before[next++] : undefined;
      if (kept !== undefined) conditions[i] = kept;
    }
  }
  object.status = { ...status, conditions };
}

/** Validates a new status. Only signers set certificates, and only approvers decide. */
export function checkStatus(
  object: SigningRequest,
  old: SigningRequest | undefined,
  by: 'status' | 'approval',
): FieldError[] {
  const before = old ?? {};
  const causes = checkConditions(object.status?.conditions ?? [], before);
  for (const type of LASTING) {
    if (conditionsOf(object, type).length < conditionsOf(before, type).length) {
      causes.push(forbidden(CONDITIONS, `updates may not remove a condition of type "${type}"`));
    }
  }
  if (by === 'status') causes.push(...checkDecisions(object, before));
  return [...causes, ...checkCertificate(object.status?.certificate ?? '', before.status?.certificate ?? '', by)];
}

function checkDecisions(object: SigningRequest, old: SigningRequest): FieldError[] {
  return DECISIONS.flatMap((type) => {
    const [now, before] = [conditionsOf(object, type), conditionsOf(old, type)];
    if (now.length < before.length || same(now, before)) return [];
    const change = now.length > before.length ? 'add' : 'modify';
    return [forbidden(CONDITIONS, `updates may not ${change} a condition of type "${type}"`)];
  });
}

function checkConditions(conditions: readonly Condition[], old: SigningRequest): FieldError[] {
  const causes: FieldError[] = [];
  const types = new Set<string>();
  const wasBoth = DECISIONS.every((type) => conditionsOf(old, type).length > 0);
  for (const [i, { type = '', status = '' }] of conditions.entries()) {
    const at = index(CONDITIONS, i);
    if (type === '') causes.push(required(`${at}.type`));
    const allowed = LASTING.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') causes.push(required(`${at}.status`));
    else if (!allowed.includes(status)) causes.push(notSupported(`${at}.status`, status, allowed));
    const other = DECISIONS.find((decision) => decision !== type);
    if (DECISIONS.includes(type) && !wasBoth && other !== undefined && types.has(other)) {
      causes.push(invalid(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (types.has(type)) causes.push(duplicate(`${at}.type`, type));
    types.add(type);
  }
  return causes;
}

function checkCertificate(now: string, before: string, by: 'status' | 'approval'): FieldError[] {
  if (now === before) return [];
  if (by === 'approval') return [forbidden(CERTIFICATE, 'updates may not set certificate content')];
  const causes: FieldError[] = [];
  const problem = now === '' ? undefined : certificateProblem(binaryFromBase64(now));
  if (problem !== undefined) causes.push(invalid(CERTIFICATE, '<certificate data>', problem));
  if (before !== '') causes.push(forbidden(CERTIFICATE, 'updates may not modify existing certificate content'));
  return causes;
}

/** Returns why a text is not one or more PEM certificates. */
function certificateProblem(pem: string): string | undefined {
  const blocks = pem.match(/-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/g) ?? [];
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const block of blocks) {
    const [, type = ''] = /-----BEGIN ([^-]+)-----/.exec(block) ?? [];
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found "${type}"`;
    if (block.includes(':')) return 'no PEM block headers are permitted';
    if (!isCertificate(block)) return 'x509: malformed certificate';
  }
  return undefined;
}
