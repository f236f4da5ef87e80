import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { SoakHarness } from './soak-harness.ts';

/** Action on the harness. Its return value describes the action for the log. */
export type ChaosAction = (
  admin: Client,
  random: Random,
  harness: SoakHarness,
) => Promise<string | void> | string | void;

/** Actions by name, each with its relative weight. */
export type ChaosActions = readonly (readonly [name: string, weight: number, action: ChaosAction])[];

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Namespace with a limited number of pods. */
export const CRAMPED = 'shop';

/** All VMs that may exist. */
export const PLACES: readonly Place[] = [
  ...['a', 'b', 'c', 'd'].map((name) => ({ namespace: 'default', name })),
  ...['e', 'f'].map((name) => ({ namespace: CRAMPED, name })),
];

export const NODE_NAMES = [1, 2, 3, 4].map((number) => `kwok-node-${number}`);

export const describeVm = ({ namespace, name }: Place) => `${namespace}/${name}`;

/** Returns the claim of a VM's disk, if it has one. */
export const claimOf = (name: string) => `disk-${name}`;

/**
 * Runs a function after a random time. Most faults end by themselves, so that the cluster is healthy more often than
 * not.
 */
export function later({ random, clock }: SoakHarness, run: () => void): string {
  const ms = random.pick([0, 50, 1000, 10_000, 35_000, 60_000, 120_000]);
  clock.timer(ms, run);
  return `for ${ms} ms`;
}
