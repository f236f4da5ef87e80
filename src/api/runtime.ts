/** Driver that runs the machines of a node: a simulation, or QEMU. */
export type Runtime = 'simulated' | 'qemu';

export const RUNTIMES: readonly Runtime[] = ['simulated', 'qemu'];

/** Label of a node that names its runtime, by which a VM can select it. */
export const RUNTIME_LABEL = 'vimana.io/runtime';
