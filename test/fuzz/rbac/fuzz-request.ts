import type { RawRequest } from '../http1-connection.ts';
import type { FuzzKind } from './fuzz-kinds.ts';
import type { FuzzUser } from './grants.ts';
import type { Binding, Rule } from './rbac-model.ts';

/** What a write would make of a role or binding; the model of escalation is asked about it. */
export interface RbacWrite {
  readonly rules?: readonly Rule[];
  readonly binding?: Binding;
  readonly aggregates?: boolean;
}

/** One request of the fuzzer, and what the model needs to know of it beside its bytes. */
export interface FuzzRequest extends RawRequest {
  readonly user: FuzzUser;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2';
  /** A watch goes on for ever; this is the text after which it has told all there was. */
  readonly readUntil?: string;
  /** The kind that it is about, if it is one. */
  readonly kind?: FuzzKind;
  /** Whether everything about it is as it should be, so that its status follows from what is stored. */
  readonly wellFormed: boolean;
  /** Whether it is a server-side apply, which creates what is not there. */
  readonly applies: boolean;
  readonly rbac?: RbacWrite;
  /** What an access review asks. */
  readonly review?: { readonly access: object };
  /** What the sender wants to be. */
  readonly impersonates?: {
    readonly user: string;
    readonly groups: readonly string[];
    /** Whether it wants a uid or anything extra besides, which no user of the fuzzer may have. */
    readonly isMore: boolean;
  };
}
