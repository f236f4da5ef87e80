import type { UpSettings } from '#programs/cli/up';

/** Decision about the demo fleet. `why` is the reason if the fleet is not created although it would be by default. */
export interface DemoRequest {
  readonly demo: boolean;
  readonly why?: string;
}

export function demoRequest(
  { demo, dialects }: Pick<UpSettings, 'demo' | 'dialects'>,
  { isNew, nodes }: { readonly isNew: boolean; readonly nodes: number },
): DemoRequest {
  if (!(demo ?? isNew)) return { demo: false };
  if (!dialects.includes('kubevirt')) {
    return { demo: false, why: 'its VMs are of kubevirt.io, which --dialects does not include' };
  }
  return nodes > 0 ? { demo: true } : { demo: false, why: 'there are no nodes' };
}
