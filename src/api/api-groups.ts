import type { ApiGroup } from './api-group.ts';
import type { DialectName } from './groups.ts';
import { hypersdkGroup } from './hypersdk/api-group.ts';
import { kubevirtGroup } from './kubevirt/api-group.ts';
import { novacronGroup } from './novacron/api-group.ts';
import { simulationGroup } from './simulation/api-group.ts';

/** Registers the API groups, one line each. */
export const API_GROUPS: Readonly<Record<DialectName, ApiGroup>> = {
  kubevirt: kubevirtGroup,
  hypersdk: hypersdkGroup,
  novacron: novacronGroup,
  simulation: simulationGroup,
};
