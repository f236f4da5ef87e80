import { vmPool } from '#api/novacron/vm-pool';
import type { AdmissionPlugin, PluginHost } from '#control-plane/apiserver/admission-plugin';
import { readObject } from '#control-plane/apiserver/object-source';
import { poolScaleWarnings } from '#vm/dialects/novacron/admission/pool-scale';

/** Warns users that write the scale of a pool that is autoscaled. */
export function poolScale({ source }: PluginHost): AdmissionPlugin {
  const { group, versions, plural } = vmPool;
  return {
    name: 'VimanaPoolScale',
    validate({ resource, subresource, operation, namespace, name, call }) {
      if (resource.group !== group || resource.plural !== plural || subresource !== 'scale') return;
      if (operation !== 'UPDATE') return;
      const pool = readObject(source, group, versions[0], plural, namespace, name);
      for (const warning of poolScaleWarnings(pool as never)) {
        if (!call.warnings.includes(warning)) call.warnings.push(warning);
      }
    },
  };
}
