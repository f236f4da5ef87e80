import type { UpgradedConnection } from '#platform/kube/api-extension';
import type { User } from '../access/user.ts';
import type { Thread } from '../flow-control/thread-share.ts';
import type { AnnounceWork } from '../flow-control/work.ts';

/** Represents a request whose sender is authenticated. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Returns one header, with several values joined. */
  header(name: string): string | undefined;
  readonly user: User;
  /** Returns the whole body. Rejects one that is larger than the server accepts. */
  body(): Promise<Uint8Array>;
  /** Aborted when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /**
   * Announces long work on behalf of the sender. Absent for components of this process, which are never made to wait.
   */
  readonly work?: AnnounceWork;
  /** Schedules work on behalf of the user that the sender acts as. */
  readonly thread?: Thread;
  /** Collects what becomes known during the request, for metrics and the audit log. */
  readonly notes?: RequestNotes;
  /** Takes over the connection, if the client requests a protocol upgrade. */
  readonly upgrade?: () => UpgradedConnection;
}

export interface RequestNotes {
  /** User that the sender was allowed to impersonate. */
  impersonatedUser?: User;
  /** Name that the object in the body claims to have. */
  object?: SentObject;
}

export interface SentObject {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}
