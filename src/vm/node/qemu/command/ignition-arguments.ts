import type { MachineSpec } from '../../machine-spec.ts';

/** KubeVirt's annotation of an instance with its Ignition configuration. */
export const IGNITION_ANNOTATION = 'kubevirt.io/ignitiondata';
/** File of the configuration in the machine directory. */
export const IGNITION_FILE = 'ignition.json';

/** Returns the arguments that pass an Ignition configuration to the guest, as a file because it may contain secrets. */
export function ignitionArguments({ annotations }: MachineSpec): string[] {
  if (annotations[IGNITION_ANNOTATION] === undefined) return [];
  return ['-fw_cfg', `name=opt/com.coreos/config,file=${IGNITION_FILE}`];
}
