import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { GUIDES } from '../guides/all.ts';
import { play } from '../guides/play.ts';

describe.skipIf(missingAssets().length > 0)('a guide for a cluster works as written', () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: 1 });
  }, 120_000);
  afterAll(() => cluster?.stop());

  it.each(GUIDES.filter(({ needsCluster }) => needsCluster))(
    '$name',
    async ({ file }) => {
      const { kubeconfig, binaries } = cluster;
      expect(await play(file, { kubeconfig, path: [dirname(binaries.helm)] })).toBeGreaterThan(0);
    },
    240_000,
  );
});
