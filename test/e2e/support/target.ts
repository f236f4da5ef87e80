/** Where a journey is made: a cluster, whoever plays it. */
export interface Target {
  /** The path of a kubeconfig that may do everything. */
  readonly kubeconfig: string;
  /** For what a journey leaves. */
  readonly folder: string;
  /** Ends it and removes what it left. */
  stop(): Promise<void>;
}
