import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { nodeAgentAttacks } from './node-agent.attacks.ts';
import { kubeApiServer } from './support/attack-target.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  nodeAgentAttacks(kubeApiServer());
});
