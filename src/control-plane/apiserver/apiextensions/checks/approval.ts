import { type FieldError, invalid, key, required } from '#platform/base/field-error';
import type { Crd } from '../crd.ts';
import { parseGoUrl } from './go-url.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Requires an approval annotation for CRDs in groups of the Kubernetes project, or a statement that there is none. */
export function validateApproval(definition: Crd, old: Crd | undefined): FieldError[] {
  const { group } = definition.spec;
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const state = stateOf(definition);
  if (old !== undefined && stateOf(old) === state) return [];
  const path = key('metadata.annotations', ANNOTATION);
  const start = `protected groups must have approval annotation "${ANNOTATION}"`;
  if (state === 'missing') return [required(path, `${start}, ${SEE}`)];
  if (state !== 'invalid') return [];
  const detail = `${start} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return [invalid(path, definition.metadata.annotations?.[ANNOTATION], detail)];
}

function stateOf({ metadata }: Crd): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  const value = metadata.annotations?.[ANNOTATION] ?? '';
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  const url = parseGoUrl(value);
  return 'problem' in url || url.scheme === '' || url.host === '' ? 'invalid' : 'approved';
}
