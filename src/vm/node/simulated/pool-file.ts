import { RUNTIMES, type Runtime } from '#api/runtime';
import { ConfigError } from '#platform/base/errors';
import {
  child,
  type FieldError,
  formatFieldError,
  index,
  invalid,
  key,
  notSupported,
  required,
  typeInvalid,
} from '#platform/base/field-error';
import { labelValueProblems, qualifiedNameProblems } from '#platform/base/names';
import { tryParseQuantity } from '#platform/base/quantity';
import type { Taint } from '#platform/kube/kinds/node';
import { readManifest } from '#platform/kube/manifest';
import type { NodePool } from './node-pool.ts';
import { DEFAULT_SIZE, parseNodeSize } from './node-size.ts';

/**
 * Parses node pools from YAML:
 *
 *     pools:
 *     - name: gpu
 *       count: 4
 *       runtime: simulated
 *       size: 64cpu,256Gi
 *       prefix: gpu-node-
 *       zones: [zone-a, zone-b]
 *       labels: { example.com/gpu: "true" }
 *       annotations: {}
 *       taints: [{ key: example.com/gpu, value: "true", effect: NoSchedule }]
 *       resources: { nvidia.com/gpu: 8 }
 *
 * All problems are reported at once, each with its path.
 */
export function readPools(text: string): NodePool[] {
  const { documents, problems } = readManifest(text);
  const [problem] = problems;
  if (problem !== undefined) {
    throw new ConfigError(`line ${problem.line}, column ${problem.column}: ${problem.message}`);
  }
  const errors: FieldError[] = [];
  const pools = poolsOf(documents[0]?.object, errors);
  if (errors.length > 0) throw new ConfigError(errors.map(formatFieldError).join('\n'));
  return pools;
}

type Fields = Readonly<Record<string, unknown>>;
type Reader = (value: unknown, path: string, errors: FieldError[]) => unknown;

const READERS: Readonly<Record<string, Reader>> = {
  name: text,
  count,
  runtime,
  size,
  prefix,
  zones,
  labels,
  annotations: strings,
  taints,
  resources,
};

function poolsOf(document: unknown, errors: FieldError[]): NodePool[] {
  if (!isFields(document)) {
    errors.push(typeInvalid('', document ?? null, 'must be an object with a list "pools"'));
    return [];
  }
  for (const field of Object.keys(document)) {
    if (field !== 'pools') errors.push(invalid(field, document[field], 'unknown field: only "pools" is supported'));
  }
  const { pools } = document;
  if (!Array.isArray(pools) || pools.length === 0) {
    errors.push(required('pools', 'at least one pool is required'));
    return [];
  }
  const read = pools.map((pool, i) => poolOf(pool, index('pools', i), errors));
  for (const [i, { name = '' }] of read.entries()) {
    if (read.findIndex((other) => (other.name ?? '') === name) !== i) {
      errors.push(invalid(child(index('pools', i), 'name'), name, 'another pool has this name'));
    }
  }
  return read;
}

function poolOf(pool: unknown, path: string, errors: FieldError[]): NodePool {
  if (!isFields(pool)) {
    errors.push(typeInvalid(path, pool, 'must be an object'));
    return { count: 0 };
  }
  if (pool['count'] === undefined) errors.push(required(child(path, 'count')));
  const read: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(pool)) {
    const reader = Object.hasOwn(READERS, field) ? READERS[field] : undefined;
    if (reader === undefined) {
      errors.push(
        invalid(child(path, field), value, `unknown field: supported are ${Object.keys(READERS).join(', ')}`),
      );
    } else read[field] = reader(value, child(path, field), errors);
  }
  rejectSized(read, child(path, 'resources'), errors);
  return read as unknown as NodePool;
}

/** Rejects resources that the size of the node already contains. */
function rejectSized(
  { size = DEFAULT_SIZE, resources: further = {} }: Partial<NodePool>,
  path: string,
  errors: FieldError[],
) {
  for (const [name, amount] of Object.entries(further)) {
    if (!Object.hasOwn(size, name)) continue;
    const part = name === 'cpu' ? `${amount}cpu` : name === 'memory' ? amount : `${name}=${amount}`;
    errors.push(invalid(key(path, name), amount, `is set by size: write ${part} there`));
  }
}

function text(value: unknown, path: string, errors: FieldError[]): string {
  if (typeof value === 'string') return value;
  errors.push(typeInvalid(path, value, 'must be a string'));
  return '';
}

const MAX_NODES = 100_000;

function count(value: unknown, path: string, errors: FieldError[]): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_NODES) return value as number;
  errors.push(invalid(path, value, `must be a whole number from 0 to ${MAX_NODES}`));
  return 0;
}

function runtime(value: unknown, path: string, errors: FieldError[]): Runtime {
  const given = text(value, path, errors) as Runtime;
  if (!RUNTIMES.includes(given)) errors.push(notSupported(path, given, RUNTIMES));
  return given;
}

function size(value: unknown, path: string, errors: FieldError[]): unknown {
  try {
    return parseNodeSize(text(value, path, errors));
  } catch (error) {
    errors.push(invalid(path, value, (error as ConfigError).hint ?? (error as Error).message));
    return undefined;
  }
}

function prefix(value: unknown, path: string, errors: FieldError[]): string {
  const given = text(value, path, errors);
  if (!/^[a-z0-9]([-a-z0-9.]{0,200})$/.test(given)) {
    errors.push(invalid(path, value, 'must be a name prefix: lowercase letters, digits, "-" and "."'));
  }
  return given;
}

function zones(value: unknown, path: string, errors: FieldError[]): string[] {
  if (!Array.isArray(value) || value.length === 0) {
    errors.push(typeInvalid(path, value, 'must be a list of names'));
    return [];
  }
  return value.map((zone, i) => {
    const name = text(zone, index(path, i), errors);
    for (const problem of labelValueProblems(name)) errors.push(invalid(index(path, i), zone, problem));
    return name;
  });
}

function strings(value: unknown, path: string, errors: FieldError[]): Record<string, string> {
  if (!isFields(value)) {
    errors.push(typeInvalid(path, value, 'must be an object'));
    return {};
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, text(each, key(path, name), errors)]));
}

function labels(value: unknown, path: string, errors: FieldError[]): Record<string, string> {
  const read = strings(value, path, errors);
  for (const [name, each] of Object.entries(read)) {
    for (const problem of [...qualifiedNameProblems(name), ...labelValueProblems(each)]) {
      errors.push(invalid(key(path, name), each, problem));
    }
  }
  return read;
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function taints(value: unknown, path: string, errors: FieldError[]): Taint[] {
  if (!Array.isArray(value)) {
    errors.push(typeInvalid(path, value, 'must be a list'));
    return [];
  }
  return value.map((each: unknown, i) => {
    const at = index(path, i);
    const taint = strings(each, at, errors);
    for (const problem of qualifiedNameProblems(taint['key'] ?? ''))
      errors.push(invalid(child(at, 'key'), taint['key'], problem));
    const { effect = '' } = taint as { effect?: string };
    if (!EFFECTS.includes(effect)) errors.push(notSupported(child(at, 'effect'), effect, EFFECTS));
    for (const field of Object.keys(taint)) {
      if (!['key', 'value', 'effect'].includes(field)) {
        errors.push(invalid(child(at, field), taint[field], 'unknown field: supported are key, value, effect'));
      }
    }
    return taint as unknown as Taint;
  });
}

function resources(value: unknown, path: string, errors: FieldError[]): Record<string, string> {
  if (!isFields(value)) {
    errors.push(typeInvalid(path, value, 'must be an object'));
    return {};
  }
  const read: Record<string, string> = {};
  for (const [name, amount] of Object.entries(value)) {
    const given = typeof amount === 'number' || typeof amount === 'string' ? tryParseQuantity(amount) : undefined;
    if (given === undefined || given.nano < 0n) errors.push(invalid(key(path, name), amount, 'must be a quantity'));
    else read[name] = String(amount);
  }
  return read;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
