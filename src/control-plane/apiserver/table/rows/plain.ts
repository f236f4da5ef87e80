import { ageOf, type Cell, type Condition, formatQuantityCell, type Listed, nameOf } from '../cell.ts';

type Texts = Readonly<Record<string, unknown>>;

const count = (map: Texts | undefined) => (map === undefined ? 0 : Object.keys(map).length);

/** Returns the row that the API server prints for kinds without a printer. */
export function plainRow(object: Listed): Cell[] {
  return [nameOf(object), object.metadata?.creationTimestamp ?? '0001-01-01T00:00:00Z'];
}

export function nameAndAgeRow(object: Listed, now: number): Cell[] {
  return [nameOf(object), ageOf(object, now)];
}

export function configMapRow(
  object: Listed & { readonly data?: Texts; readonly binaryData?: Texts },
  now: number,
): Cell[] {
  return [nameOf(object), count(object.data) + count(object.binaryData), ageOf(object, now)];
}

export function secretRow(object: Listed & { readonly type?: string; readonly data?: Texts }, now: number): Cell[] {
  return [nameOf(object), object.type ?? '', count(object.data), ageOf(object, now)];
}

export function namespaceRow(object: Listed & { readonly status?: { readonly phase?: string } }, now: number): Cell[] {
  return [nameOf(object), object.status?.phase ?? '', ageOf(object, now)];
}

type Amounts = Readonly<Record<string, string | number>>;

export function resourceQuotaRow(
  object: Listed & { readonly status?: { readonly hard?: Amounts; readonly used?: Amounts } },
  now: number,
): Cell[] {
  const { hard = {}, used = {} } = object.status ?? {};
  const requests: string[] = [];
  const limits: string[] = [];
  for (const name of Object.keys(hard).sort()) {
    const column = name.startsWith('limits.') ? limits : requests;
    column.push(`${name}: ${formatQuantityCell(used[name])}/${formatQuantityCell(hard[name])}`);
  }
  return [nameOf(object), requests.join(', '), limits.join(', '), ageOf(object, now)];
}

interface ComponentStatus extends Listed {
  readonly conditions?: readonly (Condition & { readonly message?: string; readonly error?: string })[];
}

export function componentStatusRow(object: ComponentStatus): Cell[] {
  const healthy = object.conditions?.find((item) => item.type === 'Healthy');
  const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
  return [nameOf(object), status, healthy?.message ?? '', healthy?.error ?? ''];
}

interface ApiService extends Listed {
  readonly spec?: { readonly service?: { readonly namespace?: string; readonly name?: string } };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export function apiServiceRow(object: ApiService, now: number): Cell[] {
  const service = object.spec?.service;
  const available = object.status?.conditions?.find((item) => item.type === 'Available');
  const { status = '', reason = '' } = available ?? { status: 'Unknown' };
  return [
    nameOf(object),
    service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`,
    status === 'True' || reason === '' ? status : `${status} (${reason})`,
    ageOf(object, now),
  ];
}

export function leaseRow(
  object: Listed & { readonly spec?: { readonly holderIdentity?: string } },
  now: number,
): Cell[] {
  return [nameOf(object), object.spec?.holderIdentity ?? '', ageOf(object, now)];
}

export function runtimeClassRow(object: Listed & { readonly handler?: string }, now: number): Cell[] {
  return [nameOf(object), object.handler ?? '', ageOf(object, now)];
}

interface PriorityClass extends Listed {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

export function priorityClassRow(object: PriorityClass, now: number): Cell[] {
  const { value = 0, globalDefault = false, preemptionPolicy = '' } = object;
  return [nameOf(object), value, globalDefault, ageOf(object, now), preemptionPolicy];
}
