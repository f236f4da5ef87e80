import type { KubeCondition } from '#platform/kube/kinds/condition';

/** Condition that a driver reports about its node or a machine. */
export type DriverCondition = Pick<KubeCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Facts about the host of a driver, for the Node. */
export interface DriverFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly conditions: readonly DriverCondition[];
}
