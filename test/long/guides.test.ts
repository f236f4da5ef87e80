import { describe, expect, it } from 'vitest';
import { hasKubectl } from '../e2e/support/kubectl.ts';
import { GUIDES } from '../guides/all.ts';
import { play } from '../guides/play.ts';

describe.skipIf(!hasKubectl())('the slow steps of a guide', () => {
  it.each(GUIDES.filter(({ hasSlow, needsCluster }) => hasSlow && !needsCluster))(
    '$name',
    async ({ file }) => {
      expect(await play(file, { slow: true })).toBeGreaterThan(0);
    },
    10 * 60_000,
  );
});
