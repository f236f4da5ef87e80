import type { User } from './access/user.ts';

/** Who asks, and how a request is to be treated, whichever verb it has. */
export interface Call {
  readonly user: User;
  /** Who owns the fields that this request writes. */
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Told to the client beside the answer. */
  readonly warnings: string[];
  readonly signal: AbortSignal;
}
