import type { Algorithm } from './algorithms.ts';
import type { Mode } from './buckets.ts';
import type { Limits } from './planner.ts';
import { ruleName } from './recording-rules.ts';

export interface PolicySettings {
  readonly algorithm: Algorithm;
  readonly mode: Mode;
  readonly limits: Limits;
  /** URL of Prometheus. */
  readonly prometheusUrl: string;
  /** Window of the recording rules that it reads. */
  readonly window: string;
}

/**
 * Returns the policy by which kube-descheduler applies an algorithm and a mode. It leaves the destination to the
 * scheduler.
 */
export function deschedulerPolicy({ algorithm, mode, limits, prometheusUrl, window }: PolicySettings): object {
  const percent = (share: number) => ({ MetricResource: Math.round(share * 100) });
  return {
    apiVersion: 'descheduler/v1alpha2',
    kind: 'DeschedulerPolicy',
    maxNoOfPodsToEvictPerNode: limits.perNode,
    maxNoOfPodsToEvictTotal: limits.perStep,
    metricsProviders: [{ source: 'Prometheus', prometheus: { url: prometheusUrl } }],
    profiles: [
      {
        name: 'vimana-rebalance',
        pluginConfig: [
          {
            name: 'DefaultEvictor',
            args: {
              labelSelector: { matchLabels: { 'kubevirt.io': 'virt-launcher' } },
              // A launcher keeps its sockets in emptyDir volumes, which do not prevent a migration.
              podProtections: { defaultDisabled: ['PodsWithLocalStorage'] },
            },
          },
          {
            name: 'LowNodeUtilization',
            args: {
              useDeviationThresholds: true,
              thresholds: percent(mode.lower),
              targetThresholds: percent(mode.upper),
              metricsUtilization: {
                source: 'Prometheus',
                // Values outside 0..1 are rejected, and the CPU demand may exceed 1.
                prometheus: { query: `clamp(${ruleName(algorithm.id, window)}, 0, 1)` },
              },
              evictionLimits: { node: limits.perNode },
            },
          },
        ],
        plugins: { balance: { enabled: ['LowNodeUtilization'] } },
      },
    ],
  };
}
