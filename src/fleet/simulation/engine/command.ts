/** A machine that is to be made. */
export interface NewVm {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resources: { readonly cpu: string; readonly memory: string };
  /** How much of its size it uses; absent where the size says that already. */
  readonly use?: Use;
  readonly dirtyRateMbps?: number;
}

/** Shares of a machine's size; that of CPU may exceed 1. */
export interface Use {
  readonly cpu: number;
  readonly memory: number;
}

/** What is to be done to the world, as data. */
export type Command =
  | { readonly do: 'create'; readonly newVm: NewVm }
  | { readonly do: 'delete'; readonly vm: string }
  | { readonly do: 'load'; readonly vm: string; readonly use: Use }
  | { readonly do: 'migrate'; readonly vm: string; readonly target?: string }
  /** The group has so many nodes in all from now on, those that were removed included. */
  | { readonly do: 'addNodes'; readonly group: string; readonly total: number }
  | { readonly do: 'removeNodes' | 'failNodes' | 'recoverNodes'; readonly nodes: readonly string[] }
  | { readonly do: 'pause' };

/** What happened, for people: an event of the timeline, or one that waited for a condition. */
export interface AppliedEvent {
  readonly at: number;
  readonly cause: 'timeline' | 'conditional';
  /** Of the conditional event; the number of the event in the timeline otherwise. */
  readonly name: string;
  readonly action: string;
  readonly what: string;
}
