/** Kinds of the group and the types of their objects, as users of the library import them. */
export { type SimulationScenario, type SimulationScenarioInput, simulationScenario } from './simulation-scenario.ts';
export { type VirtualMachine, type VirtualMachineInput, virtualMachine } from './virtual-machine.ts';
