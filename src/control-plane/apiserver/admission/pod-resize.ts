import { compare, milliValue, parseQuantity, type Quantity, value } from '#platform/base/quantity';
import type { KubeObject } from '#platform/kube/kube-object';
import { podRequests } from '#platform/kube/resources/pod-resources';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { ApiError } from '../api-error.ts';
import type { Pod, Quantities } from '../kinds/pod/pod-spec.ts';
import { type ObjectSource, readObject } from '../object-source.ts';
import { admissionDenial } from './denial.ts';
import { isPods } from './pod-write.ts';

interface Node extends KubeObject {
  status?: { allocatable?: Quantities };
}

/** Rejects a resize of a pod beyond the total capacity of its node. */
export function podResizeCapacity(source: ObjectSource): AdmissionPlugin {
  return {
    name: 'PodResizeCapacity',
    validate(write) {
      if (write.subresource !== 'resize' || !isPods(write)) return;
      const pod = write.object as Pod;
      const { nodeName = '' } = pod.spec;
      if (nodeName === '') return;
      const node: Node | undefined = readObject(source, '', 'v1', 'nodes', '', nodeName);
      if (node === undefined) throw admissionDenial(write, `node ${JSON.stringify(nodeName)} not found`);
      const requests = podRequests(pod);
      const short = (['cpu', 'memory'] as const).flatMap((name) => {
        const [requested, max] = [requests.get(name), parseQuantity(node.status?.allocatable?.[name] ?? '0')];
        if (requested === undefined || compare(requested, max) <= 0) return [];
        return [`${name}, requested: ${formatAmount(name, requested)}, allocatable: ${formatAmount(name, max)}`];
      });
      if (short.length === 0) return;
      const why = `node didn't have enough allocatable resources: ${short.join('; ')}`;
      const { code, reason, message, details } = admissionDenial(write, why);
      throw new ApiError(code, reason, message, { ...details, causes: [{ reason: 'NodeCapacity' }] });
    },
  };
}

/** Formats an amount. CPU is in millicores. */
function formatAmount(name: 'cpu' | 'memory', amount: Quantity): string {
  return String(name === 'cpu' ? milliValue(amount) : value(amount));
}
