import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { deleteStaleDiscovery, discoveryCacheOf } from './kubectl-cache.ts';

const home = mkdtempSync(join(tmpdir(), 'vimana-cache-'));
const URL = 'https://127.0.0.1:6443';
const cache = join(home, '.kube/cache/discovery/127.0.0.1_6443');
afterEach(() => rmSync(home, { recursive: true, force: true }));

function cached(group: string, shortNames: readonly string[]): void {
  const directory = join(cache, group, 'v1');
  mkdirSync(directory, { recursive: true });
  const resources = [{ name: 'virtualmachines', shortNames }, { name: 'others' }];
  writeFileSync(join(directory, 'serverresources.json'), JSON.stringify({ resources }));
}

test('the cache is found as by kubectl', () => {
  expect(discoveryCacheOf('https://[::1]:6443', { HOME: '/home/me' })).toBe(
    '/home/me/.kube/cache/discovery/___1__6443',
  );
  expect(discoveryCacheOf(URL, { HOME: '/home/me', KUBECACHEDIR: '/c' })).toBe('/c/discovery/127.0.0.1_6443');
  expect(discoveryCacheOf(URL, {})).toBeUndefined();
});

test.each<[string, Readonly<Record<string, readonly string[]>>, boolean]>([
  ['has vm as another group', { 'hypersdk.io': ['vm'] }, false],
  ['has vm as several groups', { 'hypersdk.io': ['vm'], 'kubevirt.io': ['vm', 'vms'] }, false],
  ['has vm as this group', { 'hypersdk.io': [], 'kubevirt.io': ['vm', 'vms'] }, true],
  ['does not have vm', { 'hypersdk.io': ['hvm'] }, true],
])('a cache that %s is deleted only if it is stale', (_what, groups, isKept) => {
  for (const [group, names] of Object.entries(groups)) cached(group, names);
  deleteStaleDiscovery(URL, 'kubevirt.io', { HOME: home });
  expect(existsSync(cache)).toBe(isKept);
});

test('a missing or damaged cache, and that of another server, are not changed', () => {
  deleteStaleDiscovery(URL, 'kubevirt.io', { HOME: home });
  cached('hypersdk.io', ['vm']);
  deleteStaleDiscovery('https://127.0.0.1:7443', 'kubevirt.io', { HOME: home });
  expect(existsSync(cache)).toBe(true);
  writeFileSync(join(cache, 'hypersdk.io/v1/serverresources.json'), '{');
  deleteStaleDiscovery(URL, 'kubevirt.io', { HOME: home });
  expect(existsSync(cache)).toBe(true);
});
