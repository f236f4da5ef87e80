import type { Random } from '#platform/base/random';

export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
/** Who makes and attaches volumes. */
export const DRIVER = 'driver.example';

/** A part of an object that only some have. */
export const chance = <T extends object>(random: Random, share: number, make: () => T): T | Record<string, never> =>
  random.next() < share ? make() : {};
