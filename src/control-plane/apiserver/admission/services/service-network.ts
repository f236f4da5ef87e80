import { addressCount, type Cidr, contains, networkAddress, parseCidr } from '#platform/base/cidr';
import { formatIp, tryParseIp } from '#platform/base/ip';
import type { Random } from '#platform/base/random';
import type { KubeObject } from '#platform/kube/kube-object';
import type { ServiceSpec } from '../../kinds/service/service-spec.ts';
import { NumberPool } from './number-pool.ts';

export interface ServiceRanges {
  /** CIDR of the addresses, IPv4 only. */
  readonly addresses: string;
  readonly firstNodePort: number;
  readonly lastNodePort: number;
}

export const DEFAULT_RANGES: ServiceRanges = {
  addresses: '10.96.0.0/16',
  firstNodePort: 30_000,
  lastNodePort: 32_767,
};

const within = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max);

/** Tracks the addresses and ports of all services. */
export class ServiceNetwork {
  readonly ranges: ServiceRanges;
  readonly #cidr: Cidr;
  readonly #first: bigint;
  readonly #addresses: NumberPool;
  readonly #ports: NumberPool;

  constructor(ranges: ServiceRanges, random: Random) {
    this.ranges = ranges;
    const cidr = parseCidr(ranges.addresses);
    this.#cidr = cidr;
    // The first address is that of the network, and the last one is the broadcast address.
    this.#first = networkAddress(cidr).value + 1n;
    const size = Number(addressCount(cidr)) - 2;
    this.#addresses = new NumberPool(size, within(Math.floor(size / 16), 16, 256), random);
    const ports = ranges.lastNodePort - ranges.firstNodePort + 1;
    this.#ports = new NumberPool(ports, within(Math.floor(ports / 32), 16, 128), random);
  }

  get portRange(): string {
    return `${this.ranges.firstNodePort}-${this.ranges.lastNodePort}`;
  }

  /** Returns why a service cannot have the address that it requests, undefined if it can or already has it. */
  addressProblem(address: string, owner: string): string | undefined {
    const offset = this.#offsetOf(address);
    if (offset === undefined || !this.#addresses.has(offset)) {
      return 'the provided network does not match the current range';
    }
    const known = this.#addresses.ownerOf(offset);
    return known === undefined || known === owner ? undefined : 'provided IP is already allocated';
  }

  portProblem(port: number, owner: string): string | undefined {
    if (!this.#ports.has(port - this.ranges.firstNodePort)) {
      return `provided port is not in the valid range. The range of valid ports is ${this.portRange}`;
    }
    const known = this.#ports.ownerOf(port - this.ranges.firstNodePort);
    return known === undefined || known === owner ? undefined : 'provided port is already allocated';
  }

  freeAddress(): string | undefined {
    const offset = this.#addresses.pick();
    return offset === undefined ? undefined : formatIp({ family: 4, value: this.#first + BigInt(offset) });
  }

  freePort(): number | undefined {
    const offset = this.#ports.pick();
    return offset === undefined ? undefined : offset + this.ranges.firstNodePort;
  }

  /** Records the allocations of a service. */
  take(spec: ServiceSpec, owner: string): void {
    this.#each(spec, (pool, number) => pool.take(number, owner));
  }

  release(spec: ServiceSpec, owner: string): void {
    this.#each(spec, (pool, number) => pool.release(number, owner));
  }

  #each(spec: ServiceSpec, act: (pool: NumberPool, number: number) => void): void {
    for (const address of spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : [])) {
      const offset = this.#offsetOf(address);
      if (offset !== undefined && this.#addresses.has(offset)) act(this.#addresses, offset);
    }
    for (const port of portsOf(spec)) {
      if (this.#ports.has(port - this.ranges.firstNodePort)) act(this.#ports, port - this.ranges.firstNodePort);
    }
  }

  #offsetOf(address: string): number | undefined {
    const ip = tryParseIp(address);
    return ip === undefined || !contains(this.#cidr, ip) ? undefined : Number(ip.value - this.#first);
  }
}

/** Returns all node ports of a service. */
function portsOf({ ports = [], healthCheckNodePort }: ServiceSpec): number[] {
  return [...ports.map(({ nodePort }) => nodePort), healthCheckNodePort].filter(
    (port): port is number => port !== undefined && port !== 0,
  );
}

export const specOf = (service: KubeObject): ServiceSpec => service['spec'] ?? {};
