import { humanDuration } from '#platform/base/duration';
import { ageOf, type Cell, type Condition, type Listed, nameOf } from '../cell.ts';

interface Binding extends Listed {
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly { readonly kind?: string; readonly namespace?: string; readonly name?: string }[];
}

export function roleBindingRow(object: Binding, now: number): Cell[] {
  const { roleRef, subjects = [] } = object;
  const names = (kind: string) =>
    subjects.flatMap((item) => {
      if (item.kind !== kind) return [];
      return kind === 'ServiceAccount' ? `${item.namespace ?? ''}/${item.name ?? ''}` : (item.name ?? '');
    });
  const lists = ['User', 'Group', 'ServiceAccount'].map((kind) => names(kind).join(', '));
  return [nameOf(object), `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`, ageOf(object, now), ...lists];
}

interface CertificateRequest extends Listed {
  readonly spec?: { readonly signerName?: string; readonly username?: string; readonly expirationSeconds?: number };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly certificate?: string };
}

export function certificateRequestRow(object: CertificateRequest, now: number): Cell[] {
  const { signerName, username = '', expirationSeconds } = object.spec ?? {};
  const lasts = expirationSeconds === undefined ? '<none>' : humanDuration(expirationSeconds * 1000);
  return [nameOf(object), ageOf(object, now), signerName || '<none>', username, lasts, requestCondition(object)];
}

function requestCondition({ status = {} }: CertificateRequest): string {
  const has = (type: string) => status.conditions?.some((item) => item.type === type) === true;
  const response = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${response}${has('Failed') ? ',Failed' : ''}${status.certificate ? ',Issued' : ''}`;
}
