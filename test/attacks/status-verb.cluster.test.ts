import { describe } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { statusVerbAttacks } from './status-verb.attacks.ts';
import { kubeApiServer } from './support/attack-target.ts';

describe.skipIf(missingAssets().length > 0)('real Kubernetes', () => {
  statusVerbAttacks(kubeApiServer());
});
