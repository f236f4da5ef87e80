import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { clusterName } from './data-dir.ts';

test.each([
  ['up', defaultDataDir('up'), 'vimana'],
  ['up', join(defaultDataDir('up'), '..', 'up'), 'vimana'],
  ['up', defaultDataDir('apiserver'), 'vimana-7001'],
  ['up', '/srv/one', 'vimana-7001'],
  ['apiserver', defaultDataDir('apiserver'), 'vimana-apiserver'],
  ['apiserver', '/srv/one', 'vimana-7001'],
] as const)('the cluster of vimana %s in %s is called %s', (command, directory, name) => {
  expect(clusterName(command, directory, 7001)).toBe(name);
});
