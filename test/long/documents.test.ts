import { globSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportSkipped } from '#testing/programs';
import { findAsset } from '../cluster/assets.ts';
import { hasKubectl } from '../e2e/support/kubectl.ts';
import { play } from '../guides/play.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCUMENTS = globSync('test/fixtures/document-commands/*.md', { cwd: ROOT }).sort();
const helm = findAsset('helm');
if (helm === undefined)
  reportSkipped('the commands of the HyperSDK document, which need helm (in KUBE_ASSETS or PATH)');

const isPossible = (file: string) => helm !== undefined || !file.includes('002');

describe.skipIf(!hasKubectl())('the commands of a document work as written', () => {
  it.each(DOCUMENTS.filter(isPossible))(
    '%s',
    async (file) => {
      const path = [resolve(ROOT, 'bin'), ...(helm === undefined ? [] : [dirname(resolve(helm))])];
      expect(await play(resolve(ROOT, file), { path })).toBeGreaterThan(0);
    },
    10 * 60_000,
  );
});
