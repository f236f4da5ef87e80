import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { noDriftJourney } from './no-drift.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  noDriftJourney({
    name: 'kube-apiserver',
    start: async () => {
      const cluster = await startRealCluster({ nodes: 3 });
      await installOperator(cluster);
      return cluster;
    },
  });
});
