import { describe, expect, test } from 'vitest';
import { parsePath } from './request-path.ts';

const secret = { kind: 'resource', group: '', version: 'v1', namespace: 'a', plural: 'secrets', name: 'b' };

describe('a path', () => {
  test.each([
    '/api/v1/namespaces/a/secrets/b',
    '/api/v1/namespaces/a/secrets/b/',
    '/%61pi/v1/n%61mespaces/a/secrets/b',
    '/api%2Fv1%2fnamespaces/a%2Fsecrets/b',
  ])('%s equals its other spellings', (path) => {
    expect(parsePath(path)).toMatchObject({ ...secret, hasEmptySegment: false });
  });

  test.each([
    '//api/v1/namespaces/a/secrets/b',
    '/api/v1/namespaces/a/secrets/b//',
    '/api/v1/namespaces/a/secrets/b%2F/',
  ])('%s is one of a resource, but has an empty segment', (path) =>
    expect(parsePath(path)).toMatchObject({ ...secret, hasEmptySegment: true }),
  );

  test.each([
    ['/api/v1//namespaces/a/secrets', { plural: '', namespace: '', name: 'namespaces' }],
    ['/api/v1/namespaces//a', { plural: 'a', namespace: '' }],
    ['/api/v1/namespaces/a/..%2Fb', { plural: '..', namespace: 'a', name: 'b' }],
    ['/apis/apps%2Fv1/deployments', { group: 'apps', version: 'v1', plural: 'deployments' }],
  ])('%s is authorized as by Kubernetes', (path, place) => {
    expect(parsePath(path)).toMatchObject({ kind: 'resource', ...place });
  });

  test.each([
    ['/metric%73', '/metrics'],
    ['/API/v1/secrets', '/API/v1/secrets'],
    ['/api/v1', '/api/v1'],
  ])('%s is not one of a resource', (path, decoded) => {
    expect(parsePath(path)).toEqual({ kind: 'other', path: decoded });
  });

  test('that cannot be decoded is rejected', () => {
    expect(() => parsePath('/api/v1/%zz')).toThrow(URIError);
  });
});
