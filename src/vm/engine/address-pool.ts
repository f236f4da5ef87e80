import { type Cidr, contains, firstHost, lastHost, parseCidr } from '#platform/base/cidr';
import { formatIp, tryParseIp } from '#platform/base/ip';
import { seededRandom } from '#platform/base/random';

/** Returns the holders of an address in stored objects. More than one means an inconsistency. */
export type Holders = (ip: string) => Iterable<string>;

export const DEFAULT_VM_RANGE = '10.244.0.0/16';

/**
 * Allocates the addresses of one range, and remembers allocations only until stored objects show them. The search
 * starts at a position derived from the owner, so that concurrent allocations rarely collide.
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

  /** Sets the lookup of holders. */
  consult(holders: Holders): void {
    this.#holders = holders;
  }

  /** Allocates the previous address if no other owner has it, else a free one. Returns undefined if none is free. */
  take(owner: string, iface: string, had?: string): string | undefined {
    const ip = had !== undefined && this.#isFor(owner, had) ? had : this.#find(owner, iface);
    if (ip === undefined) return undefined;
    this.#assigned.set(ip, owner);
    const own = this.#byOwner.get(owner);
    if (own === undefined) this.#byOwner.set(owner, new Set([ip]));
    else own.add(ip);
    return ip;
  }

  /** Releases all addresses of the owner except these. */
  retain(owner: string, kept: readonly string[]): void {
    for (const ip of this.#byOwner.get(owner) ?? []) if (!kept.includes(ip)) this.#assigned.delete(ip);
    if (kept.length === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, new Set(kept));
    this.#full = false;
  }

  /** Releases all addresses of the owner. */
  release(owner: string): void {
    this.retain(owner, []);
  }

  /** Reports whether the address is in the range and usable by a VM. */
  has(ip: string): boolean {
    const address = tryParseIp(ip);
    if (address === undefined || !contains(this.#range, address)) return false;
    const offset = address.value - this.#first;
    return offset >= 0n && offset < this.#size;
  }

  #find(owner: string, iface: string): string | undefined {
    // Searching a full range again for every waiting VM would dominate the cost.
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

  /** Reports whether nothing holds the address, not even another interface of the same owner. */
  #isFree(ip: string): boolean {
    if (this.#assigned.has(ip)) return false;
    for (const _holder of this.#holders(ip)) return false;
    return true;
  }

  /** Reports whether no other owner holds the address. */
  #isFor(owner: string, ip: string): boolean {
    const given = this.#assigned.get(ip);
    if (given !== undefined && given !== owner) return false;
    for (const holder of this.#holders(ip)) if (holder !== owner) return false;
    return true;
  }
}
