import { OPEN } from './open.ts';
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
  ...OPEN,
  {
    name: 'column descriptions',
    reason: 'tables of built-in kinds describe their columns with sentences of the documentation of Kubernetes',
    plain: (answer) => ({ ...answer, body: withoutDescriptions(answer.body) }),
  },
  {
    name: 'empty continue',
    reason: 'lists of custom objects say that they have no further page by leaving the token out, as all others do',
    plain: (answer) => ({ ...answer, body: withoutEmptyContinue(answer.body) }),
  },
  {
    name: 'empty lists',
    reason: 'a list without items is an empty one, where kube-apiserver at times answers null',
    plain: (answer) => ({ ...answer, body: withItems(answer.body) }),
  },
  {
    name: 'repeated causes',
    reason: 'kube-apiserver tells the same cause again for every time that it checked it; ours tells it once',
    plain: (answer) => ({ ...answer, body: withCausesOnce(answer.body) }),
  },
  {
    name: 'diff of a pod',
    reason: 'what may not change in a pod is told in words, without a diff of structures of another program',
    plain: (answer) => texts(answer, (text) => text.replaceAll(/\n(?:@@ .*)?$/gs, '')),
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
    reason: 'what admission counts in the status of a quota is recorded as a field of nobody',
    plain: (answer) => ({ ...answer, body: withoutUsageOwners(answer.body) }),
  },
  {
    name: 'order of causes',
    reason: 'kube-apiserver walks through maps in an order of chance, and so tells causes and custom resources',
    plain: (answer) => ({
      ...answer,
      warnings: answer.warnings.flatMap((text) => text.split(/, (?=299 - )/)).toSorted(),
      body: withCausesSorted(answer.body),
    }),
  },
  {
    name: 'words for a patch that does not fit',
    reason: 'why a patched object cannot be read is told in the words of a decoder',
    plain: (answer) =>
      texts({ ...answer, body: withoutPatchWords(answer.body) }, (text) =>
        text
          .replace(/(unable to convert unstructured object to ).*$/s, '$1<words>')
          .replace(/^map: .* does not contain declared merge key: .*$/s, '<no merge key>'),
      ),
  },
  {
    name: 'a Service without a name',
    reason: 'kube-apiserver gives it an address before it looks at it, and tells of that first',
    excuses: ({ step, ours, theirs }) =>
      step.path.endsWith('/services') &&
      ours.status === 422 &&
      theirs.status === 422 &&
      said(theirs).includes('failed to allocate IP'),
  },
  {
    name: 'quoted objects',
    reason: 'where an error quotes a whole object, its fields stand in another order',
    plain: (answer) =>
      texts(answer, (text) => text.replaceAll(/Invalid value: "?\{.*\}"?: /gs, 'Invalid value: <object>: ')),
  },
];

/** Tables without descriptions, alone or in the events of a watch. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const { object, columnDefinitions, ...rest } = value as { object?: unknown; columnDefinitions?: object[] | null };
  return {
    ...rest,
    ...(object === undefined ? {} : { object: withoutDescriptions(object) }),
    ...(columnDefinitions === undefined || columnDefinitions === null
      ? { columnDefinitions }
      : { columnDefinitions: columnDefinitions.map((column) => ({ ...column, description: '' })) }),
  };
}

/** The answer with the texts of its Status changed. */
function texts(answer: Answer, change: (text: string) => string): Answer {
  const { body } = answer;
  if (typeof body !== 'object' || body === null || !('message' in body)) return answer;
  const details = (body as { details?: { causes?: { message?: string }[] } }).details;
  const causes = details?.causes?.map((cause) => ({ ...cause, message: change(cause.message ?? '') }));
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

function withCausesSorted(body: unknown): unknown {
  const { details, message = '' } = (body ?? {}) as { details?: { causes?: object[] }; message?: string };
  const { kind, resources } = (body ?? {}) as { kind?: string; resources?: { name: string }[] };
  if (kind === 'APIResourceList') {
    return { ...(body as object), resources: resources?.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  }
  const typed = message.startsWith('failed to create typed patch object');
  if (typed) return { ...(body as object), message: message.split('\n').toSorted().join('\n') };
  if (!Array.isArray(details?.causes)) return body;
  const causes = details.causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const [begin = ''] = message.split(' is invalid: ');
  return { ...(body as object), message: begin, details: { ...details, causes } };
}

function withoutPatchWords(body: unknown): unknown {
  const { details, message = '' } = (body ?? {}) as { details?: { causes?: { field?: string }[] }; message?: string };
  if (!message.includes('""') || details?.causes?.[0]?.field !== 'patch') return body;
  return { ...(body as object), message: '<words>', details: { ...details, causes: [{ field: 'patch' }] } };
}

function said({ body }: Answer): string {
  return (body as { message?: string } | null)?.message ?? '';
}

function withItems(body: unknown): unknown {
  const { items } = (body ?? {}) as { items?: unknown };
  return items === null ? { ...(body as object), items: [] } : body;
}
