import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { requestPathAttacks } from './request-paths.attacks.ts';
import { kubeApiServer } from './support/attack-target.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  requestPathAttacks(kubeApiServer());
});
