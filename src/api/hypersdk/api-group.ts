import type { ApiGroup } from '../api-group.ts';
import { CLAIM_WORDS } from './claims.ts';
import { virtualMachine } from './virtual-machine.ts';
import { vmOperation } from './vm-operation.ts';
import { vmSnapshot } from './vm-snapshot.ts';
import { vmTemplate } from './vm-template.ts';

export const hypersdkGroup: ApiGroup = {
  kinds: [virtualMachine, vmOperation, vmTemplate, vmSnapshot],
  claims: CLAIM_WORDS,
};
