import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectedPodManager, ConnectedVmManager } from './connected-managers.ts';

const CONTEXTS = [
  { name: 'team', context: { cluster: 'c', user: 'u', namespace: 'team-a' } },
  { name: 'plain', context: { cluster: 'c', user: 'u' } },
];

describe('a connected manager', () => {
  const directory = mkdtempSync(join(tmpdir(), 'vimana-connect-'));
  const kubeconfig = join(directory, 'config');
  beforeAll(() => {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'team',
      clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ name: 'u', user: {} }],
      contexts: CONTEXTS,
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each([
    ['the namespace of the current context', {}, 'team-a'],
    ['the namespace of the named context', { context: 'plain' }, 'default'],
    ['the given namespace', { namespace: 'other' }, 'other'],
  ])('works in %s', async (_what, options, namespace) => {
    for (const manager of [ConnectedVmManager, ConnectedPodManager]) {
      await using connected = await manager.connect({ kubeconfig, ...options });
      expect(connected.namespace).toBe(namespace);
    }
  });
});
