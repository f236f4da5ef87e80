import type { NodeHooks } from './managed-node.ts';
import { RealProbes, type RealProbesDeps, unsupportedProbes } from './real-probes.ts';

/** Hooks of nodes that run real machines, where nothing delays a pod by annotation and probes are really run. */
export function realNodeHooks(deps: RealProbesDeps): NodeHooks {
  const probes = new RealProbes(deps);
  return {
    startBlock(_pod, instance) {
      const unsupported = instance === undefined ? [] : unsupportedProbes(instance);
      if (unsupported.length === 0) return undefined;
      const message = `${unsupported.join(' and ')} not supported by this node`;
      return { waiting: { reason: 'NotSupported', message }, until: Number.POSITIVE_INFINITY };
    },
    probeAnswers: (_pod, instance) => probes.answers(instance),
    async attend(pod, instance, machine, driver) {
      probes.attend(instance, pod.spec.nodeName ?? '', machine, driver);
    },
  };
}
