import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { CPU_CONSUMPTION, LOAD_ANNOTATION, MEMORY_CONSUMPTION } from '#api/launcher';
import { DEFAULT_NODE, formatLoad } from '#api/launcher-load';
import { FIRST_POD, FORCED_NODE, type VirtualMachine, virtualMachine } from '#api/simulation/virtual-machine';
import type { DesiredVm, Dialect, PowerAction, PowerEdit, RecordedState } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { parseRecordedState } from '../recorded-state.ts';
import { report } from './report.ts';
import { simulatedResize } from './resize.ts';
import { simulatedSizeOf } from './size.ts';

/** Dialect of the fleet simulator, whose VMs are pods that the scheduler places and whose usage is given. */
export const simulation: Dialect<typeof virtualMachine> = {
  kind: virtualMachine,
  instanceSuffix: '.simulation',
  migratesByRestart: true,
  liveAnnotations: new Set([CPU_CONSUMPTION, MEMORY_CONSUMPTION, LOAD_ANNOTATION]),
  sizedByNodes: true,
  desiredVm,
  recordedState,
  report: (vm, observed, dependencies) => report(vm, observed, nodeIn(dependencies)),
  phase: ({ status }) => status?.phase ?? 'Pending',
  power,
  size: ({ spec }) => {
    const { cores: cpus, guest: memory } = simulatedSizeOf(spec, DEFAULT_NODE);
    return { cpus, memory };
  },
  resize: simulatedResize,
  cloneVmSpec: ({ spec }, { start }) => ({ ...spec, running: start }),
};

const nodeIn = (dependencies: VmDependencies | undefined) => dependencies?.referenceNode ?? DEFAULT_NODE;

function desiredVm(vm: VirtualMachine, dependencies?: VmDependencies): DesiredVm {
  const node = nodeIn(dependencies);
  const size = simulatedSizeOf(vm.spec, node);
  const { dirtyRateMbps } = vm.spec.migration ?? {};
  const forcedNode = vm.metadata.annotations?.[FORCED_NODE] ?? '';
  const firstPod = vm.metadata.annotations?.[FIRST_POD] ?? '';
  const { cpuConsumption: cpu, memoryConsumption: memory } = size;
  return {
    runStrategy: vm.spec.running ? 'Always' : 'Halted',
    labels: {},
    annotations: {
      [CPU_CONSUMPTION]: cpu,
      [MEMORY_CONSUMPTION]: memory,
      [LOAD_ANNOTATION]: formatLoad({ cpu, memory, node }),
      ...(dirtyRateMbps === undefined
        ? {}
        : { 'vimana.io/dirty-rate': `${Math.round(dirtyRateMbps * BYTES_A_MEGABIT)}` }),
    },
    spec: {
      domain: {
        cpu: { cores: size.cores, sockets: 1, maxSockets: 1 },
        // The VM has a fixed size, and a resize takes effect with the next pod.
        memory: { guest: size.guest, maxGuest: size.guest },
        resources: { requests: { cpu: size.cpu, memory: size.memory } },
        // Nothing connects to it, so it needs no address that other VMs could use.
        devices: { autoattachPodInterface: false },
      },
      // An eviction gets the same response as in KubeVirt, followed by a stop and a start elsewhere.
      evictionStrategy: 'External',
      terminationGracePeriodSeconds: 0,
    },
    evacuatesByRestart: true,
    ...(forcedNode === '' ? {} : { forcedNode }),
    // Once the VM is managed, its pods get generated names.
    ...(firstPod === '' || vm.status?.observedGeneration !== undefined ? {} : { launcher: firstPod }),
  };
}

const BYTES_A_MEGABIT = 125_000;

function recordedState({ status }: VirtualMachine): RecordedState {
  const { observedGeneration } = status ?? {};
  return {
    ...parseRecordedState(status),
    identity: {},
    ...(observedGeneration === undefined ? {} : { generation: observedGeneration }),
  };
}

function power(
  { spec, status }: VirtualMachine,
  action: PowerAction,
  instance: VirtualMachineInstance | undefined,
): PowerEdit {
  const runs = instance !== undefined && !isFinal(instance);
  switch (action) {
    case 'start':
      return spec.running ? { conflict: 'VM is already running' } : { spec: { running: true } };
    case 'stop':
      return !spec.running && !runs ? { conflict: 'VM is not running' } : { spec: { running: false } };
    case 'restart':
      if (!spec.running || !runs) return { conflict: 'VM is not running' };
      if ((status?.stateChangeRequests ?? []).length > 0) {
        return { conflict: 'unable to complete request: stop/start already underway' };
      }
      return { requests: [{ action: 'Stop', uid: instance.metadata.uid }] };
  }
}
