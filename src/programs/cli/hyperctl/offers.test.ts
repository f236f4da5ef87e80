import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import type { Client, KubeList } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import { noStreams } from '#testing/no-streams';
import type { VmDeps } from '../vm-deps.ts';
import { offersOf } from './offers.ts';

const template = (name: string, defaultSpec?: object) => ({
  metadata: { name },
  spec: { displayName: name.toUpperCase(), ...(defaultSpec === undefined ? {} : { defaultSpec }) },
});

/** Returns the dependencies of a command whose cluster lists templates as given. */
function depsFor(list: (signal: AbortSignal | undefined) => Promise<readonly object[]>) {
  const clock = new FakeClock();
  const closed: string[] = [];
  const client = {
    list: async <T extends KubeObject>(...[type, options]: Parameters<Client['list']>) => {
      expect([type.plural, options?.namespace]).toEqual(['vmtemplates', 'team']);
      return { metadata: { resourceVersion: '1' }, items: await list(options?.signal) } as unknown as KubeList<T>;
    },
  } as Client;
  const connect: VmDeps['connect'] = () =>
    Promise.resolve({
      client,
      namespace: 'team',
      ...noStreams,
      close: async () => void closed.push('closed'),
    });
  return { clock, closed, deps: { clock, connect } as unknown as VmDeps };
}

describe('the templates that the wizard offers', () => {
  it('are those of the namespace, with the sizes that they suggest', async () => {
    const { deps, clock, closed } = depsFor(() =>
      Promise.resolve([template('a', { cpus: 2, memory: '3Gi' }), template('b', { cpus: 1 }), template('c')]),
    );
    expect(await offersOf(deps, new Command())).toEqual([
      { name: 'a', displayName: 'A', cpus: 2, memory: '3Gi' },
      { name: 'b', displayName: 'B', cpus: 1 },
      { name: 'c', displayName: 'C' },
    ]);
    expect(closed).toEqual(['closed']);
    expect(clock.pending).toBe(0);
  });

  it('are none if the cluster cannot be reached', async () => {
    const { deps, clock } = depsFor(() => Promise.reject(new Error('connection refused')));
    expect(await offersOf(deps, new Command())).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('are none if the cluster takes 5 s, and the request ends then', async () => {
    let signal: AbortSignal | undefined;
    const { deps, clock } = depsFor((given) => {
      signal = given;
      return new Promise(() => {});
    });
    const found = offersOf(deps, new Command());
    await clock.advance(4_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(await found).toEqual([]);
  });
});
