import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '#control-plane/apiserver/control-plane';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { EVENTS } from '#platform/kube/kinds/event';
import { memoryIo } from '#testing/memory-io';
import { backup, restore } from './backup.ts';
import { withStartExplanation } from './data-dir.ts';

const root = mkdtempSync(join(tmpdir(), 'removed-store-'));
const whole = join(root, 'whole');
const empty = join(root, 'empty');
const WITNESS = 'pki/objects.head';
let copies = 0;

const start = (dataDir: string) => startControlPlane({ dataDir, store: 'lmdb' });

beforeAll(async () => {
  await (await start(empty)).stop();
  const plane = await start(whole);
  await plane.client().create(CONFIG_MAPS, { metadata: { name: 'precious', namespace: 'default' } });
  await plane.stop();
  // The progress as of each start is stored with the keys.
  await (await start(whole)).stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function copy(...removed: string[]): string {
  const directory = join(root, `copy-${copies++}`);
  cpSync(whole, directory, { recursive: true });
  for (const name of removed) rmSync(join(directory, name), { recursive: true });
  return directory;
}

async function namesIn(dataDir: string): Promise<readonly (string | undefined)[]> {
  const plane = await start(dataDir);
  try {
    const { items } = await plane.client().list(CONFIG_MAPS, { namespace: 'default' });
    return items.map(({ metadata }) => metadata.name);
  } finally {
    await plane.stop();
  }
}

describe('a data directory whose store was removed', () => {
  it.each<[string, () => string, RegExp]>([
    ['objects', () => copy('objects'), /is empty, but revision \d+ was stored/],
    ['the head', () => copy('objects.head'), /objects\.head is missing, so "/],
    ['objects and head', () => copy('objects', 'objects.head'), /objects" and .*objects\.head are missing/],
    [
      'objects and head, leaving an empty directory',
      () => {
        const directory = copy('objects', 'objects.head');
        mkdirSync(join(directory, 'objects'));
        return directory;
      },
      /are missing/,
    ],
    [
      'the content of both',
      () => {
        const directory = copy();
        for (const name of ['objects/data.mdb', 'objects.head']) truncateSync(join(directory, name), 0);
        return directory;
      },
      /are missing/,
    ],
    ['all stores', () => copy('objects', 'objects.head', 'events', 'events.head'), /are missing/],
    ['objects, head and keys', () => copy('objects', 'objects.head', 'pki'), /are missing/],
    ['objects and head, under an earlier version', () => copy('objects', 'objects.head', WITNESS), /are missing/],
    [
      'everything, with an empty cluster in its place',
      () => {
        const directory = copy('objects', 'objects.head');
        for (const name of ['objects', 'objects.head'])
          cpSync(join(empty, name), join(directory, name), { recursive: true });
        return directory;
      },
      /replaced by an older or empty copy/,
    ],
  ])('is not served without %s, even on repeated attempts', async (_what, damaged, cause) => {
    const directory = damaged();
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await start(directory).then(
        async (plane) => (await plane.stop(), undefined),
        (failure: unknown) => withStartExplanation(failure, directory) as Error & { hint: string },
      );
      expect(error).toMatchObject({ code: 'STORE_DAMAGED', message: expect.stringMatching(cause) });
      expect(error?.hint).toContain(`vimana restore FILE --data-dir ${directory} --replace`);
      expect(error?.hint).toContain('to start from scratch, delete all of it');
    }
  });

  it('is served again from a backup of itself if only the head is missing', async () => {
    const directory = copy('objects.head');
    const file = join(root, 'backup');
    await backup({ file, dataDir: directory }, memoryIo());
    await restore({ file, dataDir: directory, replace: true }, memoryIo());
    expect(await namesIn(directory)).toEqual(['precious']);
  });

  it('starts with new Events if only those were removed, after any revision that was served', async () => {
    for (const removed of [['events', 'events.head'], ['events.head']]) {
      const plane = await start(copy(...removed));
      const { metadata } = await plane.client().list(EVENTS, { namespace: 'default' });
      await plane.stop();
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(1e15);
    }
  });
});

describe('a first start that was killed', () => {
  const LATER = [
    WITNESS,
    'events.head',
    'events',
    'objects.head',
    'objects/data.mdb',
    'objects',
    'pki/service-account.key',
  ];

  it.each(LATER.map((last, i) => [last, LATER.slice(0, i + 1)] as const))(
    'before it wrote %s starts the next time',
    async (_last, missing) => {
      const directory = copy(...missing);
      expect(await namesIn(directory)).toEqual(missing.includes('objects/data.mdb') ? [] : ['precious']);
      expect(existsSync(join(directory, WITNESS))).toBe(true);
    },
  );
});
