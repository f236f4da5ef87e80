import { it } from 'vitest';
import { systemRandom } from '#platform/base/random';
import { startVimanaTarget } from '../fuzz/rbac/fuzz-target.ts';
import { expectRbacKept } from '../fuzz/rbac/rbac-fuzz.ts';

// Every run sends other requests. The seed in a failure message reproduces them.
it('lets nobody read or change more than their roles allow, in a million requests', async () => {
  const seed = process.env['VIMANA_FUZZ_SEED'] ?? systemRandom().hex(8);
  await expectRbacKept(startVimanaTarget, { seed, requests: 1_000_000, lanes: 16 });
});
