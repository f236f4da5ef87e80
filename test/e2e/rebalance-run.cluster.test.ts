import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { installOperator } from '../cluster/installed.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { rebalanceJourney } from './journeys/rebalance-run.ts';
import { startExporter } from './support/exporter.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  rebalanceJourney({
    name: 'kube-apiserver, with KWOK nodes',
    start: async () => {
      const cluster = await startRealCluster({ nodes: 4 });
      await installOperator(cluster, { dialects: ['simulation'] });
      const exporter = await startExporter([], { KUBECONFIG: cluster.kubeconfig });
      cluster.onStop(() => exporter.stop());
      return { ...cluster, exporter: exporter.url };
    },
  });
});
