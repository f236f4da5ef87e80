import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { exporterJourney } from './journeys/simulation-exporter.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  exporterJourney({
    name: 'kube-apiserver, with KWOK nodes',
    start: async () => {
      const cluster = await startRealCluster({ nodes: 12 });
      await installOperator(cluster, { dialects: ['simulation'] });
      return cluster;
    },
  });
});
