import { type Cell, type Listed, nameOf, since } from '../cell.ts';

interface Reference {
  readonly kind?: string;
  readonly name?: string;
  readonly fieldPath?: string;
}

interface Source {
  readonly component?: string;
  readonly host?: string;
}

/** An Event of either API group, the newer of which renamed most fields. */
interface Event extends Listed {
  readonly type?: string;
  readonly reason?: string;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
  readonly reportingInstance?: string;
  readonly message?: string;
  readonly note?: string;
  readonly involvedObject?: Reference;
  readonly regarding?: Reference;
  readonly source?: Source;
  readonly deprecatedSource?: Source;
  readonly reportingComponent?: string;
  readonly reportingController?: string;
  readonly count?: number;
  readonly deprecatedCount?: number;
  readonly firstTimestamp?: string | null;
  readonly deprecatedFirstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
}

export function eventRow(object: Event, now: number): Cell[] {
  const first = since(object.firstTimestamp ?? object.deprecatedFirstTimestamp ?? object.eventTime, now);
  const last = object.lastTimestamp ?? object.deprecatedLastTimestamp;
  const { series } = object;
  const { kind = '', name, fieldPath = '' } = object.involvedObject ?? object.regarding ?? {};
  return [
    series === undefined ? (last ? since(last, now) : first) : since(series.lastObservedTime, now),
    object.type ?? '',
    object.reason ?? '',
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
    fieldPath,
    formatSource(object),
    (object.message ?? object.note ?? '').trim(),
    first,
    series === undefined ? (object.count ?? object.deprecatedCount) || 1 : (series.count ?? 0),
    nameOf(object),
  ];
}

function formatSource(object: Event): string {
  const source = object.source ?? object.deprecatedSource;
  const component = source?.component || object.reportingComponent || object.reportingController || '';
  const instance = source?.host || object.reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}
