/** How machines of a host are kept apart from it and from one another. */
export interface Isolation {
  /**
   * uid: the node agent is root, and each machine has an unprivileged user of its own. namespace: each machine has a
   * user namespace. none: the host allows neither, and machines run as the user of the node agent.
   */
  readonly user: 'uid' | 'namespace' | 'none';
  /**
   * internet: guests reach public addresses. private: they reach nothing. Either way each machine has a network
   * namespace of its own, unless `user` is none.
   */
  readonly network: 'internet' | 'private';
  /** Reason why `user` is none or `network` is private. */
  readonly limitation?: string;
  /** Ranges that guests must not reach even if they reach the internet. */
  readonly blocked: readonly string[];
}

/** Isolation of a host that allows none, as far as it is known. */
export const NO_ISOLATION: Isolation = { user: 'none', network: 'private', blocked: [] };

/** Users of machines are in a range that neither accounts nor containers use. */
const FIRST_UID = 1_879_048_192;
const UID_COUNT = 2 ** 26;

/** Returns the user of a machine. It depends on the ID of the machine, and differs from those that are taken. */
export function machineUid(id: string, taken: ReadonlySet<number>): number {
  let hash = 0;
  for (const byte of new TextEncoder().encode(id)) hash = (Math.imul(hash, 31) + byte) >>> 0;
  for (;;) {
    const uid = FIRST_UID + (hash % UID_COUNT);
    if (!taken.has(uid)) return uid;
    hash += 1;
  }
}
