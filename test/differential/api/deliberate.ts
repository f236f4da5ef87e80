import type { Answer } from './session.ts';
import type { Step } from './step.ts';

/** A difference that is meant, and listed in docs/reference/control-plane.md. */
export interface Deliberate {
  readonly name: string;
  readonly reason: string;
  /** An answer without what may differ; what remains must be the same. */
  plain?(answer: Answer): Answer;
  /** Whether two answers that still differ may do so. */
  excuses?(seen: { readonly step: Step; readonly ours: Answer; readonly theirs: Answer }): boolean;
}

export const DELIBERATE: readonly Deliberate[] = [
  {
    name: 'column descriptions',
    reason: 'tables of built-in kinds describe their columns with sentences of the documentation of Kubernetes',
    plain: (answer) => within(answer, 'columnDefinitions', (column) => ({ ...(column as object), description: '' })),
  },
  {
    name: 'empty continue',
    reason: 'lists of custom objects say that they have no further page by leaving the token out, as all others do',
    plain: (answer) => ({ ...answer, body: withoutEmptyContinue(answer.body) }),
  },
  {
    name: 'repeated causes',
    reason: 'kube-apiserver tells the same cause again for every time that it checked it; ours tells it once',
    plain: (answer) => ({ ...answer, body: withCausesOnce(answer.body) }),
  },
  {
    name: 'diff of a pod',
    reason: 'what may not change in a pod is told in words, without a diff of structures of another program',
    plain: (answer) => texts(answer, (text) => text.replaceAll(/\n@@ .*?(?=, \w[\w.[\]]*: |\]?$)/gs, '')),
  },
  {
    name: 'words of the JSON parser',
    reason: 'where JSON cannot be parsed, the parser says so in its own words',
    plain: (answer) =>
      texts(answer, (text) =>
        text.replace(
          /((?:continue key is not valid|error decoding patch|object provided is unrecognized[^:]*|unable to parse[^:]*|couldn't get version\/kind; json parse error): ).*$/s,
          '$1<words>',
        ),
      ),
  },
  {
    name: 'owner of what a quota has used',
    reason:
      "what admission counts in the status of a quota is no one's field, where Kubernetes says that it is one of kube-apiserver field",
    plain: (answer) => ({ ...answer, body: withoutUsageOwners(answer.body) }),
  },
  {
    name: 'quoted objects',
    reason: 'where an error quotes a whole object, its fields stand in another order',
    plain: (answer) =>
      texts(answer, (text) => text.replaceAll(/Invalid value: "\{\\?".*?\}": /gs, 'Invalid value: <object>: ')),
  },
];

/** The answer with every item of a list at the top of the body changed. */
function within(answer: Answer, field: string, change: (item: unknown) => unknown): Answer {
  const { body } = answer;
  if (typeof body !== 'object' || body === null) return answer;
  const list = (body as Record<string, unknown>)[field];
  return Array.isArray(list) ? { ...answer, body: { ...body, [field]: list.map(change) } } : answer;
}

/** The answer with the texts of its Status changed. */
function texts(answer: Answer, change: (text: string) => string): Answer {
  const { body } = answer;
  if (typeof body !== 'object' || body === null || !('message' in body)) return answer;
  const details = (body as { details?: { causes?: { message: string }[] } }).details;
  const causes = details?.causes?.map((cause) => ({ ...cause, message: change(cause.message) }));
  const changed = { ...body, message: change(String(body.message)) };
  return { ...answer, body: causes === undefined ? changed : { ...changed, details: { ...details, causes } } };
}

function withoutEmptyContinue(body: unknown): unknown {
  const metadata = (body as { metadata?: Record<string, unknown> } | null)?.metadata;
  if (metadata?.['continue'] !== '') return body;
  const { continue: _, ...rest } = metadata;
  return { ...(body as object), metadata: rest };
}

function withCausesOnce(body: unknown): unknown {
  const { details } = (body ?? {}) as { details?: { causes?: object[] } };
  if (!Array.isArray(details?.causes)) return body;
  const once = new Map(details.causes.map((cause) => [JSON.stringify(cause), cause]));
  return { ...(body as object), details: { ...details, causes: [...once.values()] } };
}

/** Quotas without what is said of who wrote their usage. */
function withoutUsageOwners(body: unknown): unknown {
  const { kind, items } = (body ?? {}) as { kind?: string; items?: unknown[] };
  if (kind === 'ResourceQuotaList') return { ...(body as object), items: items?.map(withoutOwners) };
  return kind === 'ResourceQuota' ? withoutOwners(body) : body;
}

function withoutOwners(quota: unknown): unknown {
  const { metadata, ...rest } = quota as { metadata: Record<string, unknown> };
  return { ...rest, metadata: { ...metadata, managedFields: '<owners>' } };
}
