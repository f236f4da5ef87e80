import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '#programs/up/embedded';

type Choices = Pick<EmbeddedOptions, 'dialects' | 'pools'> & Partial<EmbeddedOptions>;

/** Starts everything but the process: nodes, scheduler, operator and API server, in memory and on a free port. */
export function startInMemory(choices: Choices): Promise<Embedded> {
  return startEmbedded({
    store: 'memory',
    port: 0,
    clock: realClock,
    random: systemRandom(),
    log: noopLogger,
    ...choices,
  });
}
