import { addressCount, type Cidr, firstHost, lastHost } from '#platform/base/cidr';
import { TemporaryError } from '#platform/base/errors';
import { formatIp, tryParseIp } from '#platform/base/ip';

/**
 * Allocates addresses to pods that have none of their own, each to one pod at a time. The pods themselves show which
 * addresses are taken, so nothing has to be stored.
 */
export class Addresses {
  readonly #range: Cidr;
  readonly #first: bigint;
  readonly #count: number;
  readonly #holders = new Map<string, string>();
  readonly #held = new Map<string, string>();
  #next = 0;

  constructor(range: Cidr) {
    this.#range = range;
    this.#first = firstHost(range).value;
    const last = lastHost(range).value;
    const max = addressCount(range) > 2n ** 24n ? 2n ** 24n : last - this.#first + 1n;
    this.#count = Number(max);
  }

  /** Returns the address of a pod, which stays the same until it is released. */
  take(podUid: string): string {
    const known = this.#held.get(podUid);
    if (known !== undefined) return known;
    if (this.#holders.size >= this.#count) throw new TemporaryError('no free pod IP address', { retryAfterMs: 5_000 });
    for (;;) {
      const value = this.#first + BigInt(this.#next);
      this.#next = (this.#next + 1) % this.#count;
      const address = formatIp({ family: this.#range.address.family, value });
      if (this.#holders.has(address)) continue;
      this.reserve(address, podUid);
      return address;
    }
  }

  /** Marks an address as used by a pod, even if it was assigned elsewhere. */
  reserve(address: string, podUid: string): void {
    if (this.#holders.has(address) || this.#held.has(podUid)) return;
    const parsed = tryParseIp(address);
    if (parsed === undefined || parsed.family !== this.#range.address.family) return;
    const offset = parsed.value - this.#first;
    if (offset < 0n || offset >= BigInt(this.#count)) return;
    this.#holders.set(address, podUid);
    this.#held.set(podUid, address);
  }

  release(podUid: string): void {
    const address = this.#held.get(podUid);
    if (address === undefined) return;
    this.#held.delete(podUid);
    this.#holders.delete(address);
  }
}
