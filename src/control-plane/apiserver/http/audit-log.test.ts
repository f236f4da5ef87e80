import { expect, test } from 'vitest';
import type { User } from '../access/user.ts';
import type { ApiRequest, RequestNotes } from './api-request.ts';
import { auditLine } from './audit-log.ts';

const USER: User = { name: 'u', uid: '1', groups: ['g'], extra: { a: ['b'] } };
const TIME = '2026-01-01T00:00:00.000Z';

function eventOf(method: string, path: string, notes: RequestNotes = {}) {
  const request = { user: USER, notes, header: () => 'kubectl' } as unknown as ApiRequest;
  const finished = { request, method, path, status: 200, seconds: 0, streamed: false, auditId: 'x' };
  return JSON.parse(auditLine(finished, TIME)) as { verb: string; objectRef?: object };
}

const PODS = '/api/v1/namespaces/n/pods';
const pods = { resource: 'pods', namespace: 'n', apiVersion: 'v1' };
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const roles = { resource: 'clusterroles', apiGroup: 'rbac.authorization.k8s.io', apiVersion: 'v1' };

test.each<[string, string, string, object | undefined]>([
  ['GET', `${PODS}/p`, 'get', { ...pods, name: 'p' }],
  ['GET', `${PODS}/p/log?follow=true`, 'get', { ...pods, name: 'p', subresource: 'log' }],
  ['GET', PODS, 'list', pods],
  ['GET', `${PODS}?watch=1`, 'watch', pods],
  ['GET', `${PODS}?fieldSelector=metadata.name%3Dp`, 'list', { ...pods, name: 'p' }],
  ['POST', PODS, 'create', pods],
  ['PUT', `${ROLES}/r`, 'update', { ...roles, name: 'r' }],
  ['PATCH', `${ROLES}/r`, 'patch', { ...roles, name: 'r' }],
  ['DELETE', `${ROLES}/r`, 'delete', { ...roles, name: 'r' }],
  ['DELETE', ROLES, 'deletecollection', roles],
  ['GET', '/healthz?verbose', 'get', undefined],
  ['POST', '/metrics', 'post', undefined],
  ['GET', '/api/v1/namespaces/%zz/pods', 'get', undefined],
])('%s %s is recorded as %s', (method, path, verb, objectRef) => {
  const event = eventOf(method, path);
  expect([event.verb, event.objectRef]).toEqual([verb, objectRef]);
});

test('a created object is recorded by the name in its body, and an updated one with its resource version', () => {
  expect(eventOf('POST', PODS, { object: { name: 'p', namespace: 'other' } }).objectRef).toEqual({
    ...pods,
    name: 'p',
  });
  const object = { name: 'r', uid: '2', resourceVersion: '3' };
  expect(eventOf('PUT', `${ROLES}/r`, { object }).objectRef).toEqual({ ...roles, ...object });
});

test('the user of a request is recorded, and the impersonated user', () => {
  const user = { username: 'u', uid: '1', groups: ['g'], extra: { a: ['b'] } };
  expect(eventOf('GET', PODS)).toMatchObject({ user });
  expect(eventOf('GET', PODS)).not.toHaveProperty('impersonatedUser');
  const impersonatedUser = { name: 'root', groups: ['system:masters'] };
  expect(eventOf('GET', PODS, { impersonatedUser })).toMatchObject({
    user,
    impersonatedUser: { username: 'root', groups: ['system:masters'] },
  });
});

test('an unauthenticated request is recorded', () => {
  const finished = { request: undefined, method: 'GET', path: PODS, status: 401, seconds: 0, streamed: false };
  expect(JSON.parse(auditLine({ ...finished, auditId: 'x' }, TIME))).toMatchObject({
    verb: 'list',
    objectRef: pods,
    user: {},
    responseStatus: { code: 401 },
  });
});
