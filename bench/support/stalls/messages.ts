/** Connection to a server as one user. */
export interface Connection {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Instructions for the prober. */
export interface ProbeOrder {
  readonly connection: Connection;
  readonly namespace: string;
  readonly seconds: number;
  readonly perSecond: number;
}

/** Result of the prober: milliseconds from the scheduled time of each request to its response. */
export interface ProbeResult {
  readonly milliseconds: readonly number[];
  /** Number of responses by unsuccessful status. 0 stands for no response. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Instructions for the attacker. */
export interface AttackOrder {
  readonly connection: Connection;
  readonly attack: string;
  readonly seconds: number;
}

/** Number of responses by status. 0 stands for no response. */
export type AttackResult = Readonly<Record<string, number>>;
