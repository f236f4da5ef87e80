import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  findAdmission,
  KINDS,
  novacron,
  openControlPlane,
  realClock,
  silentLogger,
  startControlPlane,
  systemRandom,
} from '../src/index.ts';

it('the library starts an API server for tests, and a client for it', async () => {
  const plane = await startControlPlane({ clock: realClock, random: systemRandom(), log: silentLogger });
  try {
    const client = plane.client({ name: 'tester', groups: ['system:masters'] }, 'tester');
    const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
    const { items } = await client.list(namespaces);
    expect(items.map(({ metadata }) => metadata.name)).toContain('default');
  } finally {
    await plane.stop();
  }
});

it('an API server needs no configuration, and its client is the administrator', async () => {
  const plane = await startControlPlane();
  try {
    const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
    const made = await plane.client().create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
    });
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  } finally {
    await plane.stop();
  }
});

it('an API server serves an extension that uses a client of it', async () => {
  const opened = await openControlPlane();
  const client = opened.client();
  const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
  const plane = await opened.serve({
    extensions: [
      {
        group: 'count.example.com',
        version: 'v1',
        resources: [{ name: 'counts', namespaced: false, kind: 'Count', verbs: ['get'] }],
        handle: async () => ({ status: 200, body: { namespaces: (await client.list(namespaces)).items.length } }),
      },
    ],
  });
  try {
    const text = await plane.client().raw('/apis/count.example.com/v1/counts/all');
    expect(JSON.parse(text)).toEqual({ namespaces: 4 });
  } finally {
    await plane.stop();
  }
});

it('a control plane whose port is taken is closed, and can be opened again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'library-'));
  const first = await startControlPlane();
  await expect(startControlPlane({ dataDir, store: 'lmdb', port: first.port })).rejects.toThrow('EADDRINUSE');
  await first.stop();
  const second = await startControlPlane({ dataDir, store: 'lmdb' });
  await second.stop();
  rmSync(dataDir, { recursive: true });
});

it('the library exports every kind and its rules', () => {
  expect(KINDS).toContain(novacron.vmPool);
  expect(findAdmission()(novacron.vmPool.apiVersion, 'VMPool')).toBeDefined();
});
