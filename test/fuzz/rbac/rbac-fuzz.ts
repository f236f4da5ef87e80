import { expect } from 'vitest';
import { certificateRequestPem } from './certificate-request.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { rbacCampaign } from './rbac-campaign.ts';

interface FuzzRun {
  /** The same seed sends the same requests again: VIMANA_FUZZ_SEED. */
  readonly seed: string;
  readonly requests: number;
  readonly lanes: number;
  readonly batch?: number;
}

/** Sends requests to a server, which is stopped afterwards, and expects it to match the model. */
export async function expectRbacKept(start: () => Promise<FuzzTarget>, run: FuzzRun): Promise<void> {
  const { seed, requests, lanes, batch = 250 } = run;
  const target = await start();
  try {
    const requestPem = await certificateRequestPem();
    const outcome = await rbacCampaign(target, { seed, requests, lanes, batch, requestPem });
    const { violations, sent, permitted, forbidden, closed, statuses } = outcome;
    expect(violations, `VIMANA_FUZZ_SEED=${seed}, ${requests} requests in ${lanes} lanes`).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(requests);
    // The requests must be varied, or their responses would prove nothing.
    expect(permitted / sent).toBeGreaterThan(0.2);
    expect(forbidden / sent).toBeGreaterThan(0.4);
    expect(closed / sent).toBeLessThan(0.01);
    for (const status of [200, 201, 400, 403, 404, 409, 422]) expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
  } finally {
    await target.stop();
  }
}
