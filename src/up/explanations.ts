import type { ApiExtension } from '../kube/api-extension.ts';
import { KubeError } from '../kube/kube-error.ts';

/** What a scheduler remembers of its attempts to place a pod, the oldest first. */
export type ExplanationsOf = (namespace: string, name: string) => readonly object[];

/** Serves what the scheduler remembers as an API of its own, so that roles decide who may read it. */
export function explanationsApi(explanationsOf: ExplanationsOf): ApiExtension {
  return {
    group: 'scheduling.vimana.io',
    version: 'v1alpha1',
    resources: [{ name: 'podexplanations', namespaced: true, kind: 'PodExplanation', verbs: ['get'] }],
    handle({ namespace, name }) {
      const attempts = explanationsOf(namespace, name);
      if (attempts.length === 0) {
        const details = { name, group: 'scheduling.vimana.io', kind: 'podexplanations' };
        throw new KubeError(404, 'NotFound', `podexplanations.scheduling.vimana.io "${name}" not found`, details);
      }
      return {
        status: 200,
        body: {
          apiVersion: 'scheduling.vimana.io/v1alpha1',
          kind: 'PodExplanation',
          metadata: { name, namespace },
          attempts,
        },
      };
    },
  };
}
