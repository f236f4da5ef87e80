import { expect, it } from 'vitest';
import { seededRandom, systemRandom } from '#platform/base/random';
import { AttackedServer } from '../fuzz/attacked-server.ts';
import { campaign } from '../fuzz/campaign.ts';

const BATCHES = 100;
const REQUESTS_A_BATCH = 1_000;
const MAX_MEMORY_MIB = 1_200;

const TIMEOUT = 20 * 60_000;

// Every run sends other requests. The seed in a failure message reproduces them.
it('responds to 100,000 hostile requests with a Status, whatever they are', { timeout: TIMEOUT }, async () => {
  const seed = process.env['VIMANA_FUZZ_SEED'] ?? systemRandom().hex(8);
  const server = await AttackedServer.start();
  try {
    for (let batch = 0; batch < BATCHES; batch++) {
      const random = seededRandom(`${seed} ${batch}`);
      const { problems } = await campaign(server, random, batch % 3 === 2 ? 'HTTP/2' : 'HTTP/1.1', REQUESTS_A_BATCH);
      const { faults, polluted, rssMiB } = await server.health();
      expect({ problems, faults, polluted }, `VIMANA_FUZZ_SEED=${seed}`).toEqual({
        problems: [],
        faults: [],
        polluted: [],
      });
      expect(rssMiB).toBeLessThan(MAX_MEMORY_MIB);
    }
  } finally {
    await server.stop();
  }
});
