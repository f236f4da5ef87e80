import { it } from 'vitest';
import { startVimanaTarget } from './fuzz/rbac/fuzz-target.ts';
import { expectRbacKept } from './fuzz/rbac/rbac-fuzz.ts';

/** Another seed sends other requests. test/long and test/nightly send many more. */
const SEED = process.env['VIMANA_FUZZ_SEED'] ?? 'vimana';
const TIMEOUT = 10 * 60_000;

it('lets nobody read or change more than their roles allow, in 1,500 requests', { timeout: TIMEOUT }, async () => {
  await expectRbacKept(startVimanaTarget, { seed: SEED, requests: 1_500, lanes: 4 });
});
