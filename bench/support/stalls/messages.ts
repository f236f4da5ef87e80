/** How to reach a server as one user. */
export interface Connection {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What the prober is told to do. */
export interface ProbeOrder {
  readonly connection: Connection;
  readonly namespace: string;
  readonly seconds: number;
  readonly perSecond: number;
}

/** What the prober found: milliseconds from the scheduled time of each request to its answer. */
export interface ProbeResult {
  readonly milliseconds: readonly number[];
  /** How often each status was answered that is no success; 0 is for none. */
  readonly failures: Readonly<Record<string, number>>;
}

/** What the attacker is told to do. */
export interface AttackOrder {
  readonly connection: Connection;
  readonly attack: string;
  readonly seconds: number;
}

/** How often each status was answered; 0 is for none. */
export type AttackResult = Readonly<Record<string, number>>;
