import type { Kind } from '../api/kind.ts';
import { type Admit, admission } from './admit.ts';
import type { Admitter } from './admitter.ts';
import { virtualMachineAdmitter as hypersdkVirtualMachine } from './hypersdk/virtual-machine.ts';
import { vmOperationAdmitter } from './hypersdk/vm-operation.ts';
import { vmSnapshotAdmitter } from './hypersdk/vm-snapshot.ts';
import { vmTemplateAdmitter } from './hypersdk/vm-template.ts';
import { virtualMachineAdmitter as kubevirtVirtualMachine } from './kubevirt/virtual-machine.ts';
import { virtualMachineInstanceAdmitter } from './kubevirt/virtual-machine-instance.ts';
import { virtualMachineInstanceMigrationAdmitter } from './kubevirt/virtual-machine-instance-migration.ts';
import { virtualMachineAdmitter as novacronVirtualMachine } from './novacron/virtual-machine.ts';
import { vmNetworkAdmitter } from './novacron/vm-network.ts';
import { vmPoolAdmitter } from './novacron/vm-pool.ts';
import { vmStorageAdmitter } from './novacron/vm-storage.ts';
import { simulationScenarioAdmitter } from './simulation/simulation-scenario.ts';
import { virtualMachineAdmitter as simulationVirtualMachine } from './simulation/virtual-machine.ts';

export interface AdmissionSettings {
  /** Whether something acts on objects of a kind; who creates one that nothing acts on yet is told. All, where absent. */
  readonly actsOn?: (kind: Kind) => boolean;
}

/** What every kind asks beyond its schema. */
export function admitters(): readonly Admitter[] {
  const all: readonly unknown[] = [
    kubevirtVirtualMachine,
    virtualMachineInstanceAdmitter,
    virtualMachineInstanceMigrationAdmitter,
    hypersdkVirtualMachine,
    vmOperationAdmitter,
    vmTemplateAdmitter,
    vmSnapshotAdmitter,
    novacronVirtualMachine,
    vmPoolAdmitter,
    vmNetworkAdmitter,
    vmStorageAdmitter,
    simulationVirtualMachine,
    simulationScenarioAdmitter,
  ];
  return all as readonly Admitter[];
}

/** Finds admission for the kind that an object says it is; undefined where no kind of ours is meant. */
export type FindAdmission = (apiVersion: string, kind: string) => Admit<Kind> | undefined;

/** Schemas are compiled when the first object of a kind comes along. */
export function findAdmission(settings: AdmissionSettings = {}): FindAdmission {
  const known = admitters();
  const compiled = new Map<Admitter, Admit<Kind>>();
  return (apiVersion, kind) => {
    const slash = apiVersion.indexOf('/');
    const group = apiVersion.slice(0, slash);
    const admitter = known.find((candidate) => candidate.kind.kind === kind && candidate.kind.group === group);
    if (admitter === undefined || !admitter.kind.versions.includes(apiVersion.slice(slash + 1))) return undefined;
    const admit = compiled.get(admitter) ?? admissionOf(admitter, settings);
    compiled.set(admitter, admit);
    return admit;
  };
}

function admissionOf(admitter: Admitter, { actsOn }: AdmissionSettings): Admit<Kind> {
  const actedOn = actsOn === undefined || actsOn(admitter.kind);
  const admit = admission(admitter, { actedOn });
  if (actedOn) return admit;
  const { kind, group } = admitter.kind;
  const warning = `${kind}.${group} is stored, but nothing acts on it yet`;
  return (input) => {
    const admitted = admit(input);
    return input.operation === 'CREATE' ? { ...admitted, warnings: [...admitted.warnings, warning] } : admitted;
  };
}
