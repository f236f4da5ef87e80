/**
 * One request of a sequence. Texts may contain placeholders that are filled from earlier responses of the same server:
 * `⟦ns⟧` is the namespace of the sequence, `⟦rv PATH BACK⟧` the version of an object BACK writes ago, `⟦uid PATH⟧` its
 * uid, `⟦continue⟧` and `⟦listed⟧` the token and the version of the last list, `⟦made PREFIX⟧` the last generated name
 * with a prefix.
 */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A string is sent as it is, everything else as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** User that the administrator impersonates. */
  readonly as?: string;
  /** Milliseconds to wait before sending, if a server must learn of the previous request by a watch. */
  readonly after?: number;
  /** Whether the read is repeated until both servers agree, because one learns of writes by a watch. */
  readonly settles?: boolean;
  /** A watch that is read until an event has an object of this name, or one that matches. */
  readonly until?: string | ((object: unknown) => boolean);
}

/** A sequence generated from a seed, with its topic. */
export interface Sequence {
  readonly topic: string;
  readonly steps: readonly Step[];
}

export const NAMESPACE = '⟦ns⟧';
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** A path inside a placeholder has other brackets, because placeholders cannot be nested. */
const within = (path: string): string => path.replaceAll('⟦', '⟨').replaceAll('⟧', '⟩');
export const versionOf = (path: string, back = 0): string => `⟦rv ${within(path)} ${back}⟧`;
export const uidOf = (path: string): string => `⟦uid ${within(path)}⟧`;
export const CONTINUE = '⟦continue⟧';
export const LISTED = '⟦listed⟧';
export const madeFrom = (prefix: string): string => `⟦made ${prefix}⟧`;

/** Path of a collection in the namespace of the sequence, or of the whole cluster. */
export function collection(apiVersion: string, plural: string, namespace: string | undefined = NAMESPACE): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}
