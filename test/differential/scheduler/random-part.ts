import type { Random } from '#platform/base/random';

export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
/** Name of the provisioner and attacher. */
export const DRIVER = 'driver.example';

/** Returns a part that only some objects have. */
export const chance = <T extends object>(random: Random, share: number, make: () => T): T | Record<string, never> =>
  random.next() < share ? make() : {};
