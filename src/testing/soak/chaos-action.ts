import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { SoakHarness } from './soak-harness.ts';

/** Something that is done to the world; what it says is for whoever reads the story. */
export type ChaosAction = (admin: Client, random: Random, world: SoakHarness) => Promise<string | void> | string | void;

/** Deeds by name, each as likely as its weight. */
export type ChaosActions = readonly (readonly [name: string, weight: number, deed: ChaosAction])[];

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Of this one only so many pods may be there. */
export const CRAMPED = 'shop';

/** All machines that there may be. */
export const PLACES: readonly Place[] = [
  ...['a', 'b', 'c', 'd'].map((name) => ({ namespace: 'default', name })),
  ...['e', 'f'].map((name) => ({ namespace: CRAMPED, name })),
];

export const NODE_NAMES = [1, 2, 3, 4].map((number) => `kwok-node-${number}`);

export const describeVm = ({ namespace, name }: Place) => `${namespace}/${name}`;

/** The claim that the disk of a machine is on, where it has one. */
export const claimOf = (name: string) => `disk-${name}`;

/** Most troubles pass by themselves: the world is well more often than not. */
export function later({ random, clock }: SoakHarness, run: () => void): string {
  const ms = random.pick([0, 50, 1000, 10_000, 35_000, 60_000, 120_000]);
  clock.timer(ms, run);
  return `for ${ms} ms`;
}
