import type { ApiGroup } from '#api/api-group';
import { virtualMachine } from './virtual-machine.ts';

export const exampleGroup: ApiGroup = { kinds: [virtualMachine] };
