import type { MachineExit } from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import { IGNITION_ANNOTATION } from '../command/ignition-arguments.ts';

/** Record of a machine, written before it starts. It suffices to find the machine again, and contains no secret. */
export interface MachineRecord {
  readonly version: 1;
  /** UID of the cluster that the machine belongs to. */
  readonly cluster: string;
  readonly node: string;
  /** Boot of the host in which the machine was started. It does not survive another one. */
  readonly bootId: string;
  readonly startedAt: number;
  /** User of the machine, if it has one of its own. */
  readonly uid?: number;
  /** Directories of its cgroups. */
  readonly cgroups?: readonly string[];
  readonly spec: MachineSpec;
}

/** Shutdown request that must be carried out even if the node agent is restarted. */
export interface StopRecord {
  /** Time at which the power is cut. */
  readonly killAt: number;
}

/** Reason for an end that the node agent knows, which takes precedence over the exit code of QEMU. */
export type EndRecord = MachineExit;

/** Returns a spec without the contents of volumes and files that are written in it, since they may be secret. */
export function withoutInlineData(spec: MachineSpec): MachineSpec {
  const disks = spec.disks.map((disk) => ({ ...disk, volume: withoutContents(disk.volume) }));
  const { [IGNITION_ANNOTATION]: _configuration, ...annotations } = spec.annotations;
  return { ...spec, disks, annotations };
}

const CONTENTS: ReadonlySet<string> = new Set(['userData', 'userDataBase64', 'networkData', 'networkDataBase64']);

function withoutContents<T extends object>(volume: T): T {
  const entries = Object.entries(volume).map(([key, value]) => [
    key,
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value as object).filter(([name]) => !CONTENTS.has(name)))
      : value,
  ]);
  return Object.fromEntries(entries) as T;
}
