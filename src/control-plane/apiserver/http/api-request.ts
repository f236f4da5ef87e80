import type { UpgradedConnection } from '#platform/kube/api-extension';
import type { User } from '../access/user.ts';
import type { Thread } from '../flow-control/thread-share.ts';
import type { AnnounceWork } from '../flow-control/work.ts';

/** A request whose sender is known. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** One header, several values joined. */
  header(name: string): string | undefined;
  readonly user: User;
  /** The whole body; refused where it is larger than the server takes. */
  body(): Promise<Buffer>;
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal;
  /** For long work on behalf of the sender; absent for components of this process, which nobody makes wait. */
  readonly work?: AnnounceWork;
  /** The same for work on behalf of whoever the sender acts as. */
  readonly thread?: Thread;
  /** What turns out on the way, for those who record requests. */
  readonly notes?: RequestNotes;
  /** Takes the connection over, where the client asks to go on with another protocol. */
  readonly upgrade?: () => UpgradedConnection;
}

export interface RequestNotes {
  /** Whom the sender was allowed to act as. */
  impersonatedUser?: User;
  /** How the object in the body says that it is called. */
  object?: SentObject;
}

export interface SentObject {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}
