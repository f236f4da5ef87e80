import { describe, expect, it } from 'vitest';
import { crossNamespaceDenial, firstCrossNamespaceDenial } from './namespace-grant.ts';

const grants = (annotation: string | undefined, only?: string) => ({
  only,
  namespace: (name: string) =>
    name === 'b'
      ? {
          metadata: {
            name,
            ...(annotation === undefined ? {} : { annotations: { 'vimana.io/operations-from': annotation } }),
          },
        }
      : undefined,
});

describe('an object in one namespace may act on VMs of another', () => {
  it.each<[string, string, string | undefined, string | undefined, string | undefined]>([
    ['not by default', 'b', undefined, undefined, 'Forbidden'],
    ['if its namespace is listed', 'b', 'a', undefined, undefined],
    ['if its namespace is listed among others', 'b', 'x, a ,y', undefined, undefined],
    ['if all namespaces are allowed', 'b', '*', undefined, undefined],
    ['not if only similar namespaces are listed', 'b', 'ab,a-b', undefined, 'Forbidden'],
    ['not if the list is empty', 'b', '', undefined, 'Forbidden'],
    ['not if the other namespace does not exist', 'c', '*', undefined, 'NotFound'],
    ['not if only one namespace is managed', 'b', '*', 'a', 'Forbidden'],
    ['always if both are the same namespace', 'a', undefined, 'a', undefined],
  ])('%s', (_when, to, annotation, only, reason) => {
    expect(crossNamespaceDenial('a', to, grants(annotation, only) as never)?.reason).toBe(reason);
  });

  it('and is otherwise rejected with a remedy', () => {
    expect(crossNamespaceDenial('a', 'b', grants('x') as never)?.message).toBe(
      'namespace b does not allow operations from namespace a on its VMs: to allow them, add a to annotation vimana.io/operations-from of namespace b, a comma-separated list',
    );
  });

  it('as the server decides if the cache may be stale', async () => {
    const requested: string[] = [];
    const client = {
      get: (_type: unknown, name: string) => {
        requested.push(name);
        return Promise.resolve(grants('a').namespace(name));
      },
    };
    expect(
      await firstCrossNamespaceDenial('a', ['a', 'b'], grants(undefined) as never, client as never),
    ).toBeUndefined();
    expect(requested).toEqual(['b']);
    expect(await firstCrossNamespaceDenial('a', ['b'], grants('a') as never, client as never)).toBeUndefined();
    expect(requested).toEqual(['b']);
    expect((await firstCrossNamespaceDenial('x', ['b'], grants(undefined) as never, client as never))?.reason).toBe(
      'Forbidden',
    );
  });
});
