import { stringify } from 'yaml';
import { prettyItem, yamlItem } from './encoding-job.ts';
import { type HttpResponse, JSON_TYPE, type ListResponse, YAML_OPTIONS, YAML_TYPE } from './response.ts';

export type TextFormat = 'json' | 'pretty' | 'yaml';

/** Size of the parts of a long text. */
const PART = 64 * 1024;

/** Formats a list: whole if it is short, otherwise part by part as the client reads it. */
export function listText(list: ListResponse, format: TextFormat): HttpResponse {
  const { status, headers } = list;
  const common = { status, type: format === 'yaml' ? YAML_TYPE : JSON_TYPE, ...(headers && { headers }) };
  const parts = groupTexts(WRITERS[format](list));
  const [first, second] = [parts.next(), parts.next()];
  if (second.done === true) return { ...common, body: first.value ?? '' };
  return { ...common, parts: resumeTexts([first.value ?? '', second.value], parts) };
}

const WRITERS: Readonly<Record<TextFormat, (list: ListResponse) => Generator<string>>> = {
  *json({ head, field, items, opening = '' }) {
    yield `${JSON.stringify(head).slice(0, -1)},"${field}":[`;
    let before = opening;
    for (const item of items) {
      if (before !== '') yield before;
      yield item;
      before = `,${opening}`;
    }
    yield ']}';
  },

  *pretty({ head, field, items, opening = '' }) {
    const frame = prettyFrame(head, field);
    yield frame.before;
    let separator = '';
    for (const item of items) {
      yield `${separator}${prettyItem(JSON.parse(`${opening}${item}`))}`;
      separator = frame.separator;
    }
    yield separator === '' ? ']\n}' : frame.after;
  },

  *yaml({ head, field, items, opening = '' }) {
    const { before, after } = yamlFrame(head, field);
    yield before;
    let none = true;
    for (const item of items) {
      yield `${none ? `${field}:\n` : ''}${yamlItem(JSON.parse(`${opening}${item}`))}`;
      none = false;
    }
    if (none) yield `${field}: []\n`;
    yield after;
  },
};

/** Texts around the items of a list that has some. */
export interface ListFrame {
  readonly before: string;
  readonly separator: string;
  readonly after: string;
}

/** Returns what surrounds the items of a list, in a format whose items are formatted elsewhere. */
export function listFrame({ head, field }: ListResponse, format: 'pretty' | 'yaml'): ListFrame {
  if (format === 'pretty') return prettyFrame(head, field);
  const { before, after } = yamlFrame(head, field);
  return { before: `${before}${field}:\n`, separator: '', after };
}

function prettyFrame(head: object, field: string): ListFrame {
  const before = `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "${field}": [`;
  return { before, separator: ',', after: '\n  ]\n}' };
}

/** Returns the fields before and after the items, which are sorted by name. */
function yamlFrame(head: object, field: string): { readonly before: string; readonly after: string } {
  const fields = Object.entries(head);
  const part = (chosen: typeof fields) =>
    chosen.length === 0 ? '' : stringify(Object.fromEntries(chosen), YAML_OPTIONS);
  return {
    before: part(fields.filter(([name]) => name < field)),
    after: part(fields.filter(([name]) => name > field)),
  };
}

/** Joins texts until they are worth sending. A long one stays separate, because joining would copy it. */
function* groupTexts(texts: Iterable<string>): Generator<string, undefined> {
  let [gathered, length]: [string[], number] = [[], 0];
  for (const text of texts) {
    if (text.length >= PART) {
      if (length > 0) yield gathered.join('');
      yield text;
      [gathered, length] = [[], 0];
      continue;
    }
    gathered.push(text);
    length += text.length;
    if (length < PART) continue;
    yield gathered.join('');
    [gathered, length] = [[], 0];
  }
  if (length > 0) yield gathered.join('');
  return undefined;
}

function* resumeTexts(taken: readonly string[], rest: Iterable<string>): Generator<string> {
  yield* taken;
  yield* rest;
}
