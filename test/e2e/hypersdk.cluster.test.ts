import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { hypersdkJourney } from './journeys/hypersdk.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  hypersdkJourney({
    name: 'kube-apiserver, with KWOK nodes',
    start: async () => {
      const cluster = await startRealCluster({ nodes: 3, nodePrefix: 'node-' });
      await installOperator(cluster, { dialects: ['hypersdk'] });
      return cluster;
    },
  });
});
