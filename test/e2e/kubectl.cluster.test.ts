import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { startRealCluster } from '../cluster/real-cluster.ts';
import { kubectlJourney } from './journeys/kubectl.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  kubectlJourney({ name: 'kube-apiserver', start: () => startRealCluster({ scheduler: false }) });
});
