/**
 * One request of a sequence. Texts may hold places that each server fills with what it said itself before:
 * `⟦ns⟧` the namespace of the sequence, `⟦rv PATH BACK⟧` the version of an object as it stood BACK writes ago,
 * `⟦uid PATH⟧`, `⟦continue⟧` and `⟦listed⟧` the token and the version of the last list, `⟦made PREFIX⟧` the last name
 * that was made from a prefix.
 */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Whom the administrator speaks for. */
  readonly as?: string;
  /** Milliseconds before it is sent, where a server must hear of the request before by a watch of its own. */
  readonly after?: number;
  /** A read that is played again until both servers say the same, where one hears of what was written by a watch of its own. */
  readonly settles?: boolean;
  /** A watch, read until an object of this name is told of, or one that is as asked. */
  readonly until?: string | ((object: unknown) => boolean);
}

/** A sequence that was made from a seed, and what it is about. */
export interface Sequence {
  readonly topic: string;
  readonly steps: readonly Step[];
}

export const NAMESPACE = '⟦ns⟧';
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** A path stands within a place with other brackets, because places do not nest. */
const within = (path: string): string => path.replaceAll('⟦', '⟨').replaceAll('⟧', '⟩');
export const versionOf = (path: string, back = 0): string => `⟦rv ${within(path)} ${back}⟧`;
export const uidOf = (path: string): string => `⟦uid ${within(path)}⟧`;
export const CONTINUE = '⟦continue⟧';
export const LISTED = '⟦listed⟧';
export const madeFrom = (prefix: string): string => `⟦made ${prefix}⟧`;

/** The path of a collection in the namespace of the sequence, or of the whole cluster. */
export function collection(apiVersion: string, plural: string, namespace: string | undefined = NAMESPACE): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}
