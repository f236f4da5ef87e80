import { BOOL, DYN, listOf, mapOf, objectOf, STRING, type Type } from '#platform/structural/cel/types';
import type { AdmissionReviewRequest } from '../webhooks/review.ts';

const fields = (...names: string[]): [string, Type][] => names.map((name) => [name, STRING]);

const KIND = objectOf('kubernetes.GroupVersionKind', new Map(fields('group', 'version', 'kind')));
const RESOURCE = objectOf('kubernetes.GroupVersionResource', new Map(fields('group', 'version', 'resource')));
const USER = objectOf(
  'kubernetes.UserInfo',
  new Map<string, Type>([
    ...fields('username', 'uid'),
    ['groups', listOf(STRING)],
    ['extra', mapOf(STRING, listOf(STRING))],
  ]),
);

/** Type of `request` in expressions. */
export const REQUEST: Type = objectOf(
  'kubernetes.AdmissionRequest',
  new Map<string, Type>([
    ['kind', KIND],
    ['resource', RESOURCE],
    ['subResource', STRING],
    ['requestKind', KIND],
    ['requestResource', RESOURCE],
    ['requestSubResource', STRING],
    ...fields('name', 'namespace', 'operation'),
    ['userInfo', USER],
    ['dryRun', BOOL],
    ['options', DYN],
  ]),
);

/** Returns the request without the objects, which have variables of their own. */
export function requestJson(request: AdmissionReviewRequest): Readonly<Record<string, unknown>> {
  const { uid: _uid, object: _object, oldObject: _old, ...rest } = request;
  return rest;
}
