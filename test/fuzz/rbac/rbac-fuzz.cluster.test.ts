import { describe, it } from 'vitest';
import { systemRandom } from '#platform/base/random';
import { missingAssets } from '../../cluster/assets.ts';
import { startKubeTarget } from './kube-target.ts';
import { expectRbacKept } from './rbac-fuzz.ts';

const SEED = process.env['VIMANA_FUZZ_SEED'] ?? systemRandom().hex(8);

describe.skipIf(missingAssets().length > 0)('the model of RBAC', () => {
  it('predicts what kube-apiserver responds to 5,000 requests', async () => {
    await expectRbacKept(startKubeTarget, { seed: SEED, requests: 5_000, lanes: 4 });
  });
});
