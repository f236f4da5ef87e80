import { admissionTrial } from '#testing/admission-trial';
import { virtualMachineAdmitter } from './virtual-machine.ts';

const NOT_SERVED = / is not served yet, /;

const send = admissionTrial(virtualMachineAdmitter);

/** What admission says of how a machine is written, whether what it asks for is served yet or not. */
export function trial(...write: Parameters<typeof send>): ReturnType<typeof send> {
  const tried = send(...write);
  return { ...tried, warnings: tried.warnings.filter((warning) => !NOT_SERVED.test(warning)) };
}
