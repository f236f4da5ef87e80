/** API groups that have a VirtualMachine. */
export type GroupName = 'kubevirt.io' | 'hypersdk.io' | 'novacron.io' | 'simulation.node-classifier.io';
