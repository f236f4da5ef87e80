import { expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import type { Client, ListOptions, WatchEvent } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import type { KubeObject } from '#platform/kube/kube-object';
import { runReflector } from './reflector.ts';

const PAGES = 4;

function object(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', resourceVersion: '9' } };
}

/** Creates a server that responds at once, page by page, and then sends one change. */
function clientOf(log: string[]): Client {
  const list = async (_type: unknown, options: ListOptions = {}) => {
    const page = Number(options.continue ?? 0);
    log.push(`page ${page}`);
    const metadata = { resourceVersion: '9', ...(page + 1 < PAGES ? { continue: String(page + 1) } : {}) };
    return { metadata, items: [object(`c-${page}`)] };
  };
  async function* watch(): AsyncGenerator<WatchEvent> {
    yield { type: 'ADDED', object: object('later') };
  }
  return { list, watch } as unknown as Client;
}

it('yields between the pages of a list, and reports changes once all pages are stored', async () => {
  const log: string[] = [];
  const stop = new AbortController();
  const others = (async () => {
    for (let i = 0; !stop.signal.aborted; i++) {
      log.push('others');
      await realClock.turn?.();
    }
  })();
  const store = {
    replace: async (objects: readonly KubeObject[]) => {
      log.push(`taking in ${objects.length}`);
      await realClock.turn?.();
      log.push('taken in');
    },
    put: ({ metadata }: KubeObject) => {
      log.push(`put ${metadata.name}`);
      stop.abort();
    },
    remove: () => {},
    reached: () => {},
  };
  const parts = { clock: realClock, random: seededRandom('follow'), log: noopLogger };
  await runReflector({ client: clientOf(log), type: CONFIG_MAPS, store, ...parts }, stop.signal);
  await others;
  expect(log.filter((line) => line !== 'others')).toEqual([
    ...Array.from({ length: PAGES }, (_, i) => `page ${i}`),
    `taking in ${PAGES}`,
    'taken in',
    'put later',
  ]);
  for (let page = 1; page < PAGES; page++) {
    const between = log.slice(log.indexOf(`page ${page - 1}`), log.indexOf(`page ${page}`));
    expect(between).toContain('others');
  }
});
