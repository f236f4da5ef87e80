import type { Answer } from './session.ts';
import { APPLY_PATCH, type Step } from './step.ts';

/** A deliberate difference that is listed in docs/reference/control-plane.md. */
export interface Deliberate {
  readonly name: string;
  readonly reason: string;
  /** Removes from a response what may differ. The remainder must be equal. */
  plain?(answer: Answer): Answer;
  /** Reports whether two responses that still differ may do so. */
  excuses?(seen: { readonly step: Step; readonly ours: Answer; readonly theirs: Answer }): boolean;
}

export const DELIBERATE: readonly Deliberate[] = [
  {
    name: 'column descriptions',
    reason: 'tables of built-in kinds describe their columns with sentences of the documentation of Kubernetes',
    plain: (answer) => ({ ...answer, body: withoutDescriptions(answer.body) }),
  },
  {
    name: 'the annotation of a daemon set in tables',
    reason: 'stands there as it does in the object, where kube-apiserver leaves it out',
    plain: (answer) => ({ ...answer, body: withoutCountOfTemplates(answer.body) }),
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
    name: 'words of the YAML parser',
    reason: 'where YAML cannot be parsed, the parser says so in its own words',
    plain: (answer) =>
      texts(answer, (text) => text.replace(/((?:error decoding YAML|must be of type \w+\): yaml): ).*$/s, '$1<words>')),
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
    name: 'fields that a configuration cannot have',
    reason:
      'ours names them all, kube-apiserver those that it meets, in an order of chance, up to the first unknown one',
    excuses: ({ ours, theirs }) => {
      const [told, known] = [typeErrors(theirs), new Set(typeErrors(ours))];
      return told.some((line) => line.endsWith(UNDECLARED)) && told.every((line) => known.has(line));
    },
  },
  {
    name: 'numbers that do not fit',
    reason:
      'refused in strategic patches and applied configurations too, where kube-apiserver cuts off what is too much',
    excuses: ({ ours }) => said(ours).endsWith(': cannot convert int64 to int32'),
  },
  {
    name: 'fields of custom objects that an applied configuration leaves empty',
    reason: 'taken as not there, where kube-apiserver refuses the null that it makes of them',
    excuses: ({ step, theirs }) => step.contentType === APPLY_PATCH && NULL_CAUSE.test(said(theirs)),
  },
  {
    name: 'an applied configuration without metadata',
    reason:
      'keeps the name of the object, where kube-apiserver takes it away with the last field that the manager had there',
    excuses: ({ step, ours, theirs }) =>
      step.contentType === APPLY_PATCH && ours.status === 200 && said(theirs).endsWith(NAMELESS),
  },
  {
    name: 'lists without merge keys',
    reason: 'of several in a strategic patch ours names the first, kube-apiserver any',
    excuses: ({ ours, theirs }) => [ours, theirs].every((answer) => NO_MERGE_KEY.test(said(answer))),
  },
  {
    name: 'a panic',
    reason: 'refused, where kube-apiserver breaks off: selectable fields of a version without a schema',
    excuses: ({ ours, theirs }) => theirs.status === 0 && ours.status === 422,
  },
  {
    name: 'a single custom object as a list of metadata',
    reason: 'refused with 406, where kube-apiserver fails with 500',
    excuses: ({ ours, theirs }) =>
      ours.status === 406 && theirs.status === 500 && said(theirs) === 'content is not a list',
  },
  {
    name: 'the version that a deletion expects, where finalizers are taken off with it',
    reason: 'deleted, where kube-apiserver compares the version again after it has changed it itself',
    excuses: ({ step, theirs }) =>
      step.method === 'DELETE' && theirs.status === 409 && said(theirs).includes('ResourceVersion in precondition: ,'),
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
    reason:
      'where an error quotes a whole object, its fields stand in another order, and empty lists are not told from none',
    plain: (answer) =>
      texts(answer, (text) =>
        text
          .replaceAll(/Invalid value: "?\{.*\}"?: /gs, 'Invalid value: <object>: ')
          .replaceAll(/("[A-Z]\w*"):\[\]/g, '$1:null'),
      ),
  },
];

/** Removes the descriptions of tables, alone or in watch events. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const { object, columnDefinitions, ...rest } = value as { object?: unknown; columnDefinitions?: object[] | null };
  if (object === undefined && columnDefinitions === undefined) return value;
  return {
    ...rest,
    ...(object === undefined ? {} : { object: withoutDescriptions(object) }),
    ...(columnDefinitions === undefined || columnDefinitions === null
      ? { columnDefinitions }
      : { columnDefinitions: columnDefinitions.map((column) => ({ ...column, description: '' })) }),
  };
}

const TEMPLATES = 'deprecated.daemonset.template.generation';

interface Row {
  readonly object: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
}

function withoutCountOfTemplates(body: unknown): unknown {
  const { kind, rows } = (body ?? {}) as { kind?: string; rows?: Row[] };
  if (kind !== 'Table' || !Array.isArray(rows)) return body;
  return { ...(body as object), rows: rows.map(withoutCount) };
}

function withoutCount(row: Row): unknown {
  const { annotations, ...metadata } = row.object?.metadata ?? {};
  if (annotations?.[TEMPLATES] === undefined) return row;
  const { [TEMPLATES]: _, ...rest } = annotations;
  const left = Object.keys(rest).length === 0 ? metadata : { ...metadata, annotations: rest };
  return { ...row, object: { ...row.object, metadata: left } };
}

/** Returns the response with changed texts of its Status. */
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

/** Removes the managers of usage from quotas. */
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

const NO_MERGE_KEY = /^map: .* does not contain declared merge key: /s;
const NULL_CAUSE = /in body must be of type [\w,]+: "null"/;
const NAMELESS = 'was undeterminable: name must be provided';
const UNDECLARED = 'field not declared in schema';

/** Returns why a configuration does not match its type, line by line. */
function typeErrors(answer: Answer): string[] {
  const [, place = '', text = ''] = /^(failed to create typed patch object \(.*?\)): (.*)$/s.exec(said(answer)) ?? [];
  return text
    .replace(/^errors:\n/, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${place}: ${line.trim()}`);
}

function said({ body }: Answer): string {
  return (body as { message?: string } | null)?.message ?? '';
}

function withItems(body: unknown): unknown {
  const { items } = (body ?? {}) as { items?: unknown };
  return items === null ? { ...(body as object), items: [] } : body;
}
