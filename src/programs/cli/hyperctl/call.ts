import type { OperationFlags } from '../objects/operation.ts';
import type { SnapshotFlags } from '../objects/snapshot.ts';
import type { TemplateFlags } from '../objects/template.ts';
import type { Format } from '../vm/output.ts';

/** What a call says, whichever operation it is of. */
export interface CallFlags extends OperationFlags, SnapshotFlags, Partial<Omit<TemplateFlags, 'cpus' | 'memory'>> {
  readonly op?: string;
  readonly vm?: string;
  readonly group?: string;
  readonly templateNamespace?: string;
  /** A file. */
  readonly userData?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly stopped?: boolean;
  readonly output?: Format;
  readonly wait?: boolean;
}
