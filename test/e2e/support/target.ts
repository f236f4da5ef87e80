/** The cluster of a journey, of whatever kind. */
export interface Target {
  /** Path of a kubeconfig with all permissions. */
  readonly kubeconfig: string;
  /** Directory for the files of a journey. */
  readonly folder: string;
  /** Stops the cluster and deletes its files. */
  stop(): Promise<void>;
}
