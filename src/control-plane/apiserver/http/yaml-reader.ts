import type { Clock } from '#platform/base/clock';
import type { YamlSource, YamlText } from '../long-work.ts';
import { YamlThread } from './yaml-thread.ts';

/** Size of text that is read in less than a tenth of a second. */
const SHORT = 64 * 1024;

/** Reads YAML on two threads, so that small texts do not wait for those that take seconds. */
export class YamlReader implements YamlSource {
  readonly #short: YamlThread;
  readonly #long: YamlThread;

  constructor(clock: Pick<Clock, 'timer'>) {
    this.#short = new YamlThread(clock);
    this.#long = new YamlThread(clock);
  }

  /** Reads the first document of a text for a flow; see YamlThread. */
  read(text: string, flow?: string): Promise<YamlText> {
    return (text.length <= SHORT ? this.#short : this.#long).read(text, flow);
  }

  async close(): Promise<void> {
    await Promise.all([this.#short.close(), this.#long.close()]);
  }
}
