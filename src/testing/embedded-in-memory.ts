import { realClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { systemRandom } from '../base/random.ts';
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../up/embedded.ts';

type Choices = Pick<EmbeddedOptions, 'dialects' | 'pools'> & Partial<EmbeddedOptions>;

/** Everything but the process: nodes, scheduler, operator and API server, on a free port, gone with it. */
export function startInMemory(choices: Choices): Promise<Embedded> {
  return startEmbedded({
    store: 'memory',
    port: 0,
    clock: realClock,
    random: systemRandom(),
    log: silentLogger,
    ...choices,
  });
}
