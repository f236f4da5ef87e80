import type { ApiGroup } from '../api-group.ts';
import { simulationScenario } from './simulation-scenario.ts';
import { virtualMachine } from './virtual-machine.ts';

export const simulationGroup: ApiGroup = { kinds: [virtualMachine, simulationScenario] };
