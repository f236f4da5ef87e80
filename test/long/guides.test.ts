import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasQemu } from '#testing/programs';
import { hasKubectl } from '../e2e/support/kubectl.ts';
import { GUIDES, type Guide } from '../guides/all.ts';
import { play } from '../guides/play.ts';

/** Real VMs need programs that a laptop may not have. */
const isPossible = ({ text }: Guide) => !text.includes('--runtime qemu') || hasQemu();
const isPlayed = ({ first, hasSlow, needsCluster, steps }: Guide) => !needsCluster && (first ? hasSlow : steps > 0);

describe.skipIf(!hasKubectl())('a guide works as written, including slow steps', () => {
  it.each(GUIDES.filter(isPlayed).filter(isPossible))(
    '$name',
    async ({ file }) => {
      expect(await play(file, { slow: true })).toBeGreaterThan(0);
    },
    10 * 60_000,
  );

  it('README.md', async () => {
    expect(await play(resolve(import.meta.dirname, '../../README.md'))).toBeGreaterThan(0);
  });
});
