import { type Cidr, contains, firstHost, lastHost, parseCidr } from '#platform/base/cidr';
import { formatIp, tryParseIp } from '#platform/base/ip';
import { seededRandom } from '#platform/base/random';

/** Tells who holds an address, as far as stored objects show; more than one where something went wrong. */
export type Holders = (ip: string) => Iterable<string>;

export const DEFAULT_VM_RANGE = '10.244.0.0/16';

/**
 * Addresses of one range, each for one owner at a time. What is given out is remembered here until objects show it; all
 * else is read from them, so that nothing has to be kept in a place of its own. The address of an owner is looked for
 * from a place that follows from its identity, so that two who look at the same time hardly ever meet.
 */
export class AddressPool {
  readonly #range: Cidr;
  readonly #first: bigint;
  readonly #size: bigint;
  #holders: Holders = () => [];
  readonly #assigned = new Map<string, string>();
  readonly #byOwner = new Map<string, Set<string>>();
  #full = false;

  constructor(range: string = DEFAULT_VM_RANGE) {
    this.#range = parseCidr(range);
    this.#first = firstHost(this.#range).value;
    this.#size = lastHost(this.#range).value - this.#first + 1n;
  }

  /** Says whom to ask from now on. */
  consult(holders: Holders): void {
    this.#holders = holders;
  }

  /** The address that the owner had where nobody else has it now, or a free one; undefined where there is none. */
  take(owner: string, iface: string, had?: string): string | undefined {
    const ip = had !== undefined && this.#isFor(owner, had) ? had : this.#find(owner, iface);
    if (ip === undefined) return undefined;
    this.#assigned.set(ip, owner);
    const own = this.#byOwner.get(owner);
    if (own === undefined) this.#byOwner.set(owner, new Set([ip]));
    else own.add(ip);
    return ip;
  }

  /** The owner has no address any more but these. */
  retain(owner: string, kept: readonly string[]): void {
    for (const ip of this.#byOwner.get(owner) ?? []) if (!kept.includes(ip)) this.#assigned.delete(ip);
    if (kept.length === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, new Set(kept));
    this.#full = false;
  }

  /** The owner is gone. */
  release(owner: string): void {
    this.retain(owner, []);
  }

  /** Whether the address is one of the range that a machine can have. */
  has(ip: string): boolean {
    const address = tryParseIp(ip);
    if (address === undefined || !contains(this.#range, address)) return false;
    const offset = address.value - this.#first;
    return offset >= 0n && offset < this.#size;
  }

  #find(owner: string, iface: string): string | undefined {
    // Looking through a full range again for every machine that waits would cost more than all else.
    if (this.#full) return undefined;
    const start = BigInt(`0x${seededRandom(`${owner}/${iface}`).hex(16)}`) % this.#size;
    for (let step = 0n; step < this.#size; step++) {
      const value = this.#first + ((start + step) % this.#size);
      const ip = formatIp({ family: this.#range.address.family, value });
      if (this.#isFree(ip)) return ip;
    }
    this.#full = true;
    return undefined;
  }

  /** Nobody's at all: also not another card's of the same owner. */
  #isFree(ip: string): boolean {
    if (this.#assigned.has(ip)) return false;
    for (const _holder of this.#holders(ip)) return false;
    return true;
  }

  /** Nobody else's. */
  #isFor(owner: string, ip: string): boolean {
    const given = this.#assigned.get(ip);
    if (given !== undefined && given !== owner) return false;
    for (const holder of this.#holders(ip)) if (holder !== owner) return false;
    return true;
  }
}
