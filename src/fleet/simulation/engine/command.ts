/** VM to create. */
export interface NewVm {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resources: { readonly cpu: string; readonly memory: string };
  /** Usage relative to its size. Absent if the size already defines it. */
  readonly use?: Use;
  readonly dirtyRateMbps?: number;
}

/** Ratios of a VM's size. That of CPU may exceed 1. */
export interface Use {
  readonly cpu: number;
  readonly memory: number;
}

/** Command to apply to the cluster, as data. */
export type Command =
  | { readonly do: 'create'; readonly newVm: NewVm }
  | { readonly do: 'delete'; readonly vm: string }
  | { readonly do: 'load'; readonly vm: string; readonly use: Use }
  | { readonly do: 'migrate'; readonly vm: string; readonly target?: string }
  /** Sets the total number of nodes that the group has had, including removed ones. */
  | { readonly do: 'addNodes'; readonly group: string; readonly total: number }
  | { readonly do: 'removeNodes' | 'failNodes' | 'recoverNodes'; readonly nodes: readonly string[] }
  | { readonly do: 'pause' };

/** Event for reports: from the timeline, or from a conditional event. */
export interface AppliedEvent {
  readonly at: number;
  readonly cause: 'timeline' | 'conditional';
  /** Name of the conditional event, or the number of the event in the timeline. */
  readonly name: string;
  readonly action: string;
  readonly what: string;
}
