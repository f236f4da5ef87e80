import { expect, it } from 'vitest';
import {
  findAdmission,
  KINDS,
  novacron,
  realClock,
  silentLogger,
  startControlPlane,
  systemRandom,
} from '../src/index.ts';

it('the library brings up an API server for tests, and a client to talk to it', async () => {
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

it('an API server needs nothing to be told, and its client speaks for the administrator', async () => {
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

it('the library knows every kind and its rules', () => {
  expect(KINDS).toContain(novacron.vmPool);
  expect(findAdmission()(novacron.vmPool.apiVersion, 'VMPool')).toBeDefined();
});
