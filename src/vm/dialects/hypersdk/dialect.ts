import { CLAIM_WORDS, claimName } from '#api/hypersdk/claims';
import { type VirtualMachine, virtualMachine } from '#api/hypersdk/virtual-machine';
import { VM_LABEL } from '#api/launcher';
import { parseDuration } from '#platform/base/duration';
import type { DesiredVm, Dialect, RecordedState, RestartPolicy } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { switchPower } from '../power.ts';
import { identityIn, parseRecordedState } from '../recorded-state.ts';
import { startGate } from './carbon.ts';
import { cloneVmSpec } from './clone-vm-spec.ts';
import { desiredSpecOf } from './desired-spec.ts';
import { instanceSpec } from './instance-spec.ts';
import { report } from './report.ts';

/** Dialect of HyperSDK, whose VMs have sizes, disks and images, with or without a template. */
export const hypersdk: Dialect<typeof virtualMachine> = {
  kind: virtualMachine,
  instanceSuffix: '.hypersdk',
  dependencies: ['template', 'secret', 'carbon', 'claims', 'usage', 'image'],
  desiredVm,
  recordedState,
  report,
  phase: ({ status }) => status?.phase ?? 'Pending',
  power: switchPower,
  hasEnded: ({ spec, status }) => spec.running && status?.restarts !== undefined && status.nodeName === undefined,
  size: ({ spec: { cpus, memory: bytes } }) => ({ cpus, memory: bytes }),
  cloneVmSpec,
  claimOf: claimName,
  startGate,
  resize: (_vm, { cpus, memory: bytes }) => ({ spec: { cpus, memory: bytes } }),
};

function desiredVm(vm: VirtualMachine, dependencies: Partial<VmDependencies> = {}): DesiredVm {
  const { spec, disks, basis, blocked } = desiredSpecOf(vm, dependencies);
  const { enabled = false, evictionStrategy } = spec.highAvailability ?? {};
  // Every pod gets this label, by which its Service selects it.
  const { [VM_LABEL]: _vm, ...labels } = spec.labels ?? {};
  return {
    runStrategy: vm.spec.running ? 'Always' : 'Halted',
    labels: { ...labels, [CLAIM_WORDS.machine]: vm.metadata.name },
    annotations: { ...spec.annotations, ...(spec.guestAgent?.enabled === false ? NO_AGENT : {}) },
    spec: instanceSpec(spec, disks, dependencies.carbon?.preferred),
    restarts: restartPolicy(spec.highAvailability),
    ...(enabled && evictionStrategy === 'Shutdown' ? { evacuatesByRestart: true } : {}),
    ...(basis === undefined ? {} : { basis }),
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/** Simulated guests have a guest agent by default. */
const NO_AGENT = { 'vimana.io/guest-agent': 'false' };

/** Run time after which the count of consecutive restarts starts over, as documented in the schema. */
const WINDOW_MS = 600_000;

function restartPolicy(given: VirtualMachine['spec']['highAvailability']): RestartPolicy {
  const off = { delayMs: 0, max: 0, windowMs: WINDOW_MS };
  if (given?.enabled !== true) {
    return { ...off, when: 'never', words: 'spec.highAvailability is not enabled' };
  }
  const { restartPolicy: policy, restartDelay, maxRestarts } = given;
  return {
    when: WHEN[policy],
    delayMs: parseDuration(restartDelay),
    max: maxRestarts,
    windowMs: WINDOW_MS,
    words: `spec.highAvailability.restartPolicy is ${policy}`,
  };
}

const WHEN = { Always: 'always', OnFailure: 'onFailure', Never: 'never' } as const;

function recordedState({ status }: VirtualMachine): RecordedState {
  const { observedGeneration, interfaces, restarts, restartCount = 0 } = status ?? {};
  const { inRow = 0, lastInstance = '', message = '', ...decision } = restarts ?? {};
  return {
    ...parseRecordedState(status),
    identity: identityIn(interfaces),
    ...(restarts === undefined ? {} : { restarts: { total: restartCount, inRow, lastInstance, message, ...decision } }),
    ...(observedGeneration === undefined ? {} : { generation: observedGeneration }),
  };
}
