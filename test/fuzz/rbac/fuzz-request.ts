import type { RawRequest } from '../http1-connection.ts';
import type { FuzzKind } from './fuzz-kinds.ts';
import type { FuzzUser } from './grants.ts';
import type { Binding, Rule } from './rbac-model.ts';

/** The role or binding that a write would produce, for the model of escalation. */
export interface RbacWrite {
  readonly rules?: readonly Rule[];
  readonly binding?: Binding;
  readonly aggregates?: boolean;
}

/** One request of the fuzzer, and what the model needs to know besides its bytes. */
export interface FuzzRequest extends RawRequest {
  readonly user: FuzzUser;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2';
  /** Text after which a watch, which never ends, has sent everything. */
  readonly readUntil?: string;
  /** Kind of the requested object, if there is one. */
  readonly kind?: FuzzKind;
  /** Whether the request is valid, so that its status follows from the stored objects. */
  readonly wellFormed: boolean;
  /** Whether it is a server-side apply, which creates missing objects. */
  readonly applies: boolean;
  readonly rbac?: RbacWrite;
  /** Question of an access review. */
  readonly review?: { readonly access: object };
  /** Impersonated user. */
  readonly impersonates?: {
    readonly user: string;
    readonly groups: readonly string[];
    /** Whether it impersonates a uid or extra fields, which no user of the fuzzer may do. */
    readonly isMore: boolean;
  };
}
