import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { installChart } from '../operator/installation.ts';
import { carbonJourney } from './journeys/carbon.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  carbonJourney({
    name: 'kube-apiserver, with KWOK nodes and the chart',
    start: async () => {
      const cluster = await startRealCluster({ nodes: 2 });
      const others = ['kubevirt', 'novacron', 'simulation'].map((dialect) => `dialects.${dialect}=false`);
      const installed = await installChart(cluster, { set: ['carbon.provider=config-map', ...others] });
      await (await installed.startReplica()).untilReady();
      return {
        ...cluster,
        async stop() {
          await installed.stop();
          await cluster.stop();
        },
      };
    },
  });
});
