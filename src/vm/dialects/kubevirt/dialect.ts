import { danglingDisks } from '#api/kubevirt/dangling-disks';
import type { RunStrategy } from '#api/kubevirt/run-strategy';
import { type VirtualMachine, virtualMachine } from '#api/kubevirt/virtual-machine';
import type { DesiredVm, Dialect, Problem, RecordedState } from '#vm/engine/dialect';
import { identityIn, parseRecordedState } from '../recorded-state.ts';
import { cloneVmSpec } from './clone-vm-spec.ts';
import { kubevirtPower } from './power.ts';
import { report } from './report.ts';
import { kubevirtResize, kubevirtSizeOf } from './size.ts';

/** Dialect of KubeVirt, where the instance follows from the template. */
export const kubevirt: Dialect<typeof virtualMachine> = {
  kind: virtualMachine,
  instanceSuffix: '',
  powerSubresources: true,
  desiredVm,
  recordedState,
  report: (vm, observed) => report(vm, runStrategyOf(vm), observed),
  phase: ({ status }) => status?.printableStatus ?? 'Unknown',
  power: (vm, action, instance, options) =>
    kubevirtPower({ vm, runStrategy: runStrategyOf(vm), instance, options }, action),
  size: kubevirtSizeOf,
  resize: kubevirtResize,
  cloneVmSpec,
};

function runStrategyOf({ spec: { running, runStrategy } }: VirtualMachine): RunStrategy {
  return runStrategy ?? (running === true ? 'Always' : 'Halted');
}

function desiredVm(vm: VirtualMachine): DesiredVm {
  const { metadata, spec } = vm.spec.template;
  const blocked = missingVolume(spec);
  return {
    runStrategy: runStrategyOf(vm),
    labels: metadata?.labels ?? {},
    annotations: metadata?.annotations ?? {},
    spec,
    ...(blocked === undefined ? {} : { blocked }),
  };
}

/** Returns the problem of a disk in the old form with a missing volume, which admission accepts with a warning. */
function missingVolume(spec: DesiredVm['spec']): Problem | undefined {
  const dangling = danglingDisks(spec);
  if (dangling.length === 0) return undefined;
  const which = dangling.map(({ disk, volume }) => `disk ${disk} uses volume ${volume}`).join(', ');
  return {
    reason: 'VolumeNotFound',
    message: `the VM will not start: ${which}, but spec.template.spec.volumes has no volume of that name`,
  };
}

function recordedState({ status }: VirtualMachine): RecordedState {
  const { runStrategy, desiredGeneration, interfaces } = status ?? {};
  return {
    ...parseRecordedState(status),
    identity: identityIn(interfaces),
    ...(runStrategy === undefined ? {} : { runStrategy }),
    ...(desiredGeneration === undefined ? {} : { generation: desiredGeneration }),
  };
}
