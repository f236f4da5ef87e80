import { switchPower } from '#vm/dialects/power';
import { parseRecordedState, recordedStatus } from '#vm/dialects/recorded-state';
import type { DesiredVm, Dialect, ObservedVm } from '#vm/engine/dialect';
import { type VirtualMachine, virtualMachine } from './virtual-machine.ts';

export const example: Dialect<typeof virtualMachine> = {
  kind: virtualMachine,
  instanceSuffix: '.example',
  desiredVm,
  recordedState: ({ status }) => ({ ...parseRecordedState(status), identity: {} }),
  report,
  phase: ({ status }) => status?.phase ?? 'Pending',
  power: switchPower,
};

function desiredVm({ spec }: VirtualMachine): DesiredVm {
  return {
    runStrategy: spec.running ? 'Always' : 'Halted',
    labels: {},
    annotations: {},
    spec: { domain: { cpu: { cores: spec.cores }, memory: { guest: spec.ram }, devices: {} } },
  };
}

function report({ metadata }: VirtualMachine, { instance, recorded }: ObservedVm): object {
  const { phase = 'Pending', nodeName } = instance?.status ?? {};
  return {
    observedGeneration: metadata.generation,
    phase: instance === undefined ? 'Stopped' : phase === 'Running' ? 'Running' : 'Pending',
    ...(nodeName === undefined ? {} : { nodeName }),
    ...recordedStatus(recorded),
  };
}
