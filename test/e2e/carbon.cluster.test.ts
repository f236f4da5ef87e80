import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { carbonJourney } from './journeys/carbon.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  carbonJourney({
    name: 'kube-apiserver, with KWOK nodes',
    start: async () => {
      const cluster = await startRealCluster({ nodes: 2 });
      await installOperator(cluster, { dialects: ['hypersdk'], flags: ['--carbon-provider=config-map'] });
      return cluster;
    },
  });
});
