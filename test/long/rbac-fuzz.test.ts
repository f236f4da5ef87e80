import { it } from 'vitest';
import { systemRandom } from '#platform/base/random';
import { startVimanaTarget } from '../fuzz/rbac/fuzz-target.ts';
import { expectRbacKept } from '../fuzz/rbac/rbac-fuzz.ts';

const TIMEOUT = 20 * 60_000;

// Every run sends other requests. The seed in a failure message reproduces them.
it('lets nobody read or change more than their roles allow, in 100,000 requests', { timeout: TIMEOUT }, async () => {
  const seed = process.env['VIMANA_FUZZ_SEED'] ?? systemRandom().hex(8);
  await expectRbacKept(startVimanaTarget, { seed, requests: 100_000, lanes: 16 });
});
