import type { AdmissionPlugin } from '../admission-plugin.ts';
import type { Pod, Toleration } from '../kinds/pod/pod-spec.ts';
import { isPods } from './pod-write.ts';

const SECONDS = 300;
const KEYS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Adds tolerations that keep pods on an unreachable node for five minutes, in case it returns. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate(write) {
    if (write.subresource !== '' || !isPods(write) || write.object === undefined) return undefined;
    const { spec } = write.object as Pod;
    for (const key of KEYS) {
      if ((spec.tolerations ?? []).some((toleration) => tolerates(toleration, key))) continue;
      (spec.tolerations ??= []).push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS });
    }
    return undefined;
  },
};

function tolerates({ key = '', effect = '' }: Toleration, desired: string): boolean {
  return (key === desired || key === '') && (effect === 'NoExecute' || effect === '');
}
