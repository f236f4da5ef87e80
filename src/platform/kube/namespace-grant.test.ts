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

describe('what is in one namespace acts on machines of another', () => {
  it.each<[string, string, string | undefined, string | undefined, string | undefined]>([
    ['never, where nothing is said', 'b', undefined, undefined, 'Forbidden'],
    ['where it is named', 'b', 'a', undefined, undefined],
    ['where it is named among others', 'b', 'x, a ,y', undefined, undefined],
    ['where all are', 'b', '*', undefined, undefined],
    ['not where another is named that begins alike', 'b', 'ab,a-b', undefined, 'Forbidden'],
    ['not by an empty list', 'b', '', undefined, 'Forbidden'],
    ['not where there is none', 'c', '*', undefined, 'NotFound'],
    ['not where one namespace alone is looked after', 'b', '*', 'a', 'Forbidden'],
    ['in its own as ever', 'a', undefined, 'a', undefined],
  ])('%s', (_when, to, annotation, only, reason) => {
    expect(crossNamespaceDenial('a', to, grants(annotation, only) as never)?.reason).toBe(reason);
  });

  it('and is told how it could', () => {
    expect(crossNamespaceDenial('a', 'b', grants('x') as never)?.message).toBe(
      'namespace b does not allow operations from namespace a on its VMs: to allow them, add a to annotation vimana.io/operations-from of namespace b, a comma-separated list',
    );
  });

  it('as the server says, where what is known may be old', async () => {
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
