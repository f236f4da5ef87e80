import type { JsonSchema } from '#platform/schema/json-schema';
import type { Kind } from '#platform/schema/kind';
import { metaSchema } from '#platform/structural/object-meta';
import { type FieldHints, joinHints } from './field-hints.ts';
import { hypersdkVirtualMachine, vmOperation, vmSnapshot, vmTemplate } from './hypersdk.ts';
import { kubevirtVirtualMachine, virtualMachineInstance, virtualMachineInstanceMigration } from './kubevirt.ts';
import { metadataOf } from './metadata.ts';
import { novacronVirtualMachine, vmPool } from './novacron.ts';
import { vmNetwork } from './novacron-network.ts';
import { vmStorage } from './novacron-storage.ts';
import { simulationScenario, simulationVirtualMachine } from './simulation.ts';

const KNOWLEDGE: Readonly<Record<string, FieldHints>> = {
  'VirtualMachine.kubevirt.io': kubevirtVirtualMachine,
  'VirtualMachineInstance.kubevirt.io': virtualMachineInstance,
  'VirtualMachineInstanceMigration.kubevirt.io': virtualMachineInstanceMigration,
  'VirtualMachine.hypersdk.io': hypersdkVirtualMachine,
  'VMOperation.hypersdk.io': vmOperation,
  'VMTemplate.hypersdk.io': vmTemplate,
  'VMSnapshot.hypersdk.io': vmSnapshot,
  'VirtualMachine.novacron.io': novacronVirtualMachine,
  'VMPool.novacron.io': vmPool,
  'VMNetwork.novacron.io': vmNetwork,
  'VMStorage.novacron.io': vmStorage,
  'VirtualMachine.simulation.node-classifier.io': simulationVirtualMachine,
  'SimulationScenario.simulation.node-classifier.io': simulationScenario,
};

/** What a kind is called where several groups have a kind of that name. */
export function fullName({ kind, group }: Kind): string {
  return `${kind}.${group}`;
}

/** All that is known of a kind's fields; a kind without an entry is one that nobody has described yet. */
export function fieldHintsOf(kind: Kind): FieldHints {
  const own = KNOWLEDGE[fullName(kind)];
  if (own === undefined) throw new Error(`nothing is known of ${fullName(kind)}: write what makes it valid`);
  return joinHints(own, metadataOf(kind));
}

/** The schema of a kind with that of metadata, which a CustomResourceDefinition leaves to the API server. */
export function wholeSchema({ schema }: Kind): JsonSchema {
  return {
    ...schema,
    required: ['apiVersion', 'kind', 'spec'],
    properties: { ...schema.properties, metadata: metaSchema },
  };
}
