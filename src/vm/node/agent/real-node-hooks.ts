import type { Vmi } from '#api/kubevirt/resources';
import type { NodeHooks } from './managed-node.ts';

const PROBES = ['readinessProbe', 'livenessProbe'] as const;

/** Hooks of nodes that run real machines, where nothing delays a pod by annotation. */
export const realNodeHooks: NodeHooks = {
  startBlock(_pod, instance) {
    const probes = PROBES.filter((name) => instance?.spec[name] !== undefined);
    if (probes.length === 0) return undefined;
    const message = `${probes.map((name) => `spec.${name}`).join(' and ')} not supported by this node`;
    return { waiting: { reason: 'NotSupported', message }, until: Number.POSITIVE_INFINITY };
  },
  // A machine with probes does not start here.
  probeAnswers: (_pod, _instance: Vmi | undefined) => ({ ready: true, alive: true }),
};
