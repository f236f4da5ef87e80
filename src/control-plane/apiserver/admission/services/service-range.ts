import { ConfigError } from '#platform/base/errors';
import type { KubeObject } from '#platform/kube/kube-object';
import { serviceRangeProblem } from '#platform/kube/service-range';
import { DEFAULT_RANGES } from './service-network.ts';

/** Selects the range of a control plane whose services may already have addresses of another. */
export function selectServiceRange(requested = DEFAULT_RANGES.addresses, stored: KubeObject | undefined): string {
  const problem = serviceRangeProblem(requested);
  if (problem !== undefined) {
    throw new ConfigError(`${JSON.stringify(requested)} is no range of service addresses. ${problem}`);
  }
  const { cidrs: [range = requested] = [] } = (stored?.['spec'] ?? {}) as { readonly cidrs?: readonly string[] };
  if (range === requested) return range;
  throw new ConfigError(`the services in the data directory have addresses of ${range}, not of ${requested}`, {
    hint: `Start with --service-cluster-ip-range ${range}, or use another data directory.`,
  });
}
