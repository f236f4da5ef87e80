import { VM_FINALIZER } from '#api/instance-request';
import { isRatio } from '#api/simulation/resources';
import {
  SIMULATION_CPU_CONSUMPTION,
  SIMULATION_MEMORY_CONSUMPTION,
  type VirtualMachine,
  virtualMachine,
} from '#api/simulation/virtual-machine';
import { type FieldError, tooLong } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { validateResources, validateUtilization } from './resources.ts';

/** The VM name becomes a label value of its pod. */
const MAX_NAME = 63;

export const virtualMachineAdmitter: Admitter<typeof virtualMachine> = {
  kind: virtualMachine,
  finalizer: VM_FINALIZER,
  defaults(object) {
    const { cpu, memory } = object.spec.resources;
    if (!isRatio(memory)) return object;
    const { annotations } = object.metadata;
    if (
      annotations?.[SIMULATION_CPU_CONSUMPTION] === `${cpu}` &&
      annotations[SIMULATION_MEMORY_CONSUMPTION] === `${memory}`
    )
      return object;
    const consumption = { [SIMULATION_CPU_CONSUMPTION]: `${cpu}`, [SIMULATION_MEMORY_CONSUMPTION]: `${memory}` };
    return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...consumption } } };
  },
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { operation, object } = request;
    const { resources, utilization } = object.spec;
    return {
      causes: [
        ...(operation === 'CREATE' ? validateName(object.metadata.name) : []),
        ...validateResources('spec.resources', resources),
        ...validateUtilization('spec.utilization', utilization, resources),
      ],
      warnings: annotationWarnings(object),
    };
  },
};

function validateName(name = ''): FieldError[] {
  return name.length > MAX_NAME ? [tooLong('metadata.name', MAX_NAME)] : [];
}

/** Returns warnings for ratio annotations of a VM sized in bytes, which have no effect. */
function annotationWarnings({ metadata, spec }: VirtualMachine): string[] {
  if (isRatio(spec.resources.memory)) return [];
  return [SIMULATION_CPU_CONSUMPTION, SIMULATION_MEMORY_CONSUMPTION]
    .filter((name) => metadata.annotations?.[name] !== undefined)
    .map((name) => `metadata.annotations[${name}] is ignored: spec.resources is in CPUs and bytes`);
}
