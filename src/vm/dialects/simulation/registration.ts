import type { DialectRegistration } from '../registration.ts';
import { simulationScenarioAdmitter } from './admission/simulation-scenario.ts';
import { virtualMachineAdmitter } from './admission/virtual-machine.ts';
import { simulation } from './dialect.ts';

export const simulationRegistration: DialectRegistration = {
  dialect: simulation,
  admitters: [virtualMachineAdmitter, simulationScenarioAdmitter],
  newVmSpec: ({ cpus, memory, running }) => ({ running, resources: { cpu: String(cpus), memory } }),
  example: 'examples/simulation/vms/',
};
