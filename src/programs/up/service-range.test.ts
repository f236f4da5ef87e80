import { expect, test } from 'vitest';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { SERVICES } from '#platform/kube/kinds/core';
import { startEmbedded } from './embedded.ts';

test('the requested range has the addresses of Services', async () => {
  const embedded = await startEmbedded({
    store: 'memory',
    dialects: ['kubevirt'],
    pools: [],
    serviceClusterIpRange: '10.7.0.0/24',
    clock: realClock,
    random: systemRandom(),
    log: noopLogger,
  });
  try {
    const service = await embedded.admin.get(SERVICES, 'kubernetes', { namespace: 'default' });
    expect(service).toMatchObject({ spec: { clusterIP: '10.7.0.1' } });
  } finally {
    await embedded.stop();
  }
});
