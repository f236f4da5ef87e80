import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clusterName, usualFolder } from './data-folder.ts';

test.each([
  ['up', usualFolder('up'), 'vimana'],
  ['up', join(usualFolder('up'), '..', 'up'), 'vimana'],
  ['up', usualFolder('apiserver'), 'vimana-7001'],
  ['up', '/srv/one', 'vimana-7001'],
  ['apiserver', usualFolder('apiserver'), 'vimana-apiserver'],
  ['apiserver', '/srv/one', 'vimana-7001'],
] as const)('the cluster of vimana %s in %s is called %s', (command, folder, name) => {
  expect(clusterName(command, folder, 7001)).toBe(name);
});
