import type { OperationFlags } from '../objects/operation.ts';
import type { Format } from '../objects/output-format.ts';
import type { SnapshotFlags } from '../objects/snapshot.ts';
import type { TemplateFlags } from '../objects/template.ts';

/** Flags of a call, whichever operation it names. */
export interface CallFlags extends OperationFlags, SnapshotFlags, Partial<Omit<TemplateFlags, 'cpus' | 'memory'>> {
  readonly op?: string;
  readonly vm?: string;
  readonly group?: string;
  readonly templateNamespace?: string;
  /** Path of the user data file. */
  readonly userData?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly stopped?: boolean;
  readonly output?: Format;
  readonly wait?: boolean;
}
