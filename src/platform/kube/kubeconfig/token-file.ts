import { ConfigError } from '#platform/base/errors';
import { reasonOf } from './cluster-settings.ts';
import type { HostEnvironment } from './host-environment.ts';

/** Time for which a token is used before its file is read again. Writers of such files renew them well ahead. */
const FRESH_MS = 60_000;

/** Token that is kept fresh in a file by another program. */
export class TokenFile {
  readonly #path: string;
  readonly #environment: Pick<HostEnvironment, 'readFile' | 'clock'>;
  #known: { readonly token: string; readonly readAt: number } | undefined;

  /** Creates the token. `before` is used for as long as the file has never been readable. */
  constructor(path: string, environment: Pick<HostEnvironment, 'readFile' | 'clock'>, before?: string) {
    this.#path = path;
    this.#environment = environment;
    if (before !== undefined) this.#known = { token: before, readAt: Number.NEGATIVE_INFINITY };
  }

  /** Returns the token, or the previous one if the file cannot be read at the moment. */
  async token(): Promise<string> {
    const now = this.#environment.clock.now();
    if (this.#known && now - this.#known.readAt < FRESH_MS) return this.#known.token;
    const token = await this.#read();
    this.#known = { token, readAt: now };
    return token;
  }

  /** Makes the next call read the file again. */
  forget(): void {
    if (this.#known) this.#known = { ...this.#known, readAt: Number.NEGATIVE_INFINITY };
  }

  async #read(): Promise<string> {
    let problem: string;
    try {
      const token = (await this.#environment.readFile(this.#path)).trim();
      if (token !== '') return token;
      problem = 'is empty';
    } catch (error) {
      problem = `cannot be read${reasonOf(error)}`;
    }
    if (this.#known) return this.#known.token;
    throw new ConfigError(`token file ${this.#path} ${problem}`);
  }
}
