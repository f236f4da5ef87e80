import { describe, expect, it } from 'vitest';
import { type Route, Routes } from './route.ts';

const route = (path: string, methods?: readonly string[]): Route => ({
  path,
  ...(methods === undefined ? {} : { methods }),
  handle: () => {},
});

describe('routes', () => {
  const all = ['/', '/metrics', '/api/', '/api/vms', '/api/vms/'].map((path) => route(path));
  const post = route('/api/vms', ['POST']);
  const routes = new Routes();
  for (const each of [...all, post]) routes.add(each);
  const shown = (method: string, path: string) => {
    const found = routes.find(method, path);
    if ('allow' in found) return `not allowed, but ${found.allow.join()}`;
    return found.route === post ? 'POST /api/vms' : found.route.path;
  };

  it.each([
    ['GET', '/metrics', '/metrics'],
    ['HEAD', '/metrics', '/metrics'],
    ['POST', '/metrics', 'not allowed, but GET,HEAD'],
    ['GET', '/metrics/', '/'],
    ['GET', '/metricsandmore', '/'],
    ['GET', '/api', '/'],
    ['GET', '/api/', '/api/'],
    ['GET', '/api/nodes/x', '/api/'],
    ['GET', '/api/vms', '/api/vms'],
    ['POST', '/api/vms', 'POST /api/vms'],
    ['DELETE', '/api/vms', 'not allowed, but POST,GET,HEAD'],
    ['GET', '/api/vms/a', '/api/vms/'],
    ['GET', '/', '/'],
  ])('find for %s %s: %s', (method, path, found) => {
    expect(shown(method, path)).toBe(found);
  });

  it('find nothing without a route, and the latest one until it is removed', () => {
    const few = new Routes();
    expect(few.find('GET', '/a')).toEqual({ allow: [] });
    const [first, second] = [route('/a'), route('/a')];
    few.add(first);
    const remove = few.add(second);
    expect(few.find('GET', '/a')).toEqual({ route: second });
    remove();
    expect(few.find('GET', '/a')).toEqual({ route: first });
    expect(() => few.add(route('a'))).toThrow('slash');
  });
});
