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

/** Returns a name for a kind that is unique among the groups. */
export function fullName({ kind, group }: Kind): string {
  return `${kind}.${group}`;
}

/** Returns all hints for the fields of a kind. Throws for a kind without an entry. */
export function fieldHintsOf(kind: Kind): FieldHints {
  const own = KNOWLEDGE[fullName(kind)];
  if (own === undefined) throw new Error(`nothing is known of ${fullName(kind)}: write what makes it valid`);
  return joinHints(own, metadataOf(kind));
}

/** Returns the schema of a kind including metadata, which a CRD leaves to the API server. */
export function wholeSchema({ schema }: Kind): JsonSchema {
  return {
    ...schema,
    required: ['apiVersion', 'kind', 'spec'],
    properties: { ...schema.properties, metadata: metaSchema },
  };
}
