import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { hypersdkMachineJourney } from './journeys/hypersdk-machine.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  hypersdkMachineJourney({
    name: 'kube-apiserver, with KWOK nodes',
    start: async () => {
      const cluster = await startRealCluster({ nodes: 3 });
      await installOperator(cluster, { dialects: ['hypersdk'] });
      return cluster;
    },
  });
});
