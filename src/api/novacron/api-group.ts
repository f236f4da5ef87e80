import type { ApiGroup } from '../api-group.ts';
import { CLAIM_WORDS } from './claims.ts';
import { virtualMachine } from './virtual-machine.ts';
import { vmNetwork } from './vm-network.ts';
import { vmPool } from './vm-pool.ts';
import { vmStorage } from './vm-storage.ts';

export const novacronGroup: ApiGroup = {
  kinds: [virtualMachine, vmPool, vmNetwork, vmStorage],
  claims: CLAIM_WORDS,
};
