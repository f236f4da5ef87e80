import {
  child,
  type FieldError,
  index,
  invalid,
  notSupported,
  required,
  typeInvalid,
} from '#platform/base/field-error';

/** Reads one value at a path and appends errors to `causes`. Returns undefined if the value is absent or wrong. */
export type Read<T> = (value: unknown, path: string, causes: FieldError[]) => T | undefined;

type Fields = Readonly<Record<string, Read<unknown>>>;
type Values<F extends Fields> = { readonly [K in keyof F]?: F[K] extends Read<infer T> ? T : never };

/** Reads an object with exactly these fields. An unknown field is an error, because nothing would read it. */
export function objectReader<F extends Fields>(fields: F): Read<Values<F>> {
  return (value, path, causes) => {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) {
      causes.push(typeInvalid(path, value, 'must be an object'));
      return undefined;
    }
    const values: Record<string, unknown> = {};
    for (const [name, given] of Object.entries(value)) {
      const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (read === undefined) causes.push(invalid(child(path, name), given, 'unknown field'));
      else values[name] = read(given, child(path, name), causes);
    }
    return Object.fromEntries(Object.entries(values).filter(([, read]) => read !== undefined)) as Values<F>;
  };
}

export function listReader<T>(item: Read<T>): Read<readonly T[]> {
  return (value, path, causes) => {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) {
      causes.push(typeInvalid(path, value, 'must be a list'));
      return undefined;
    }
    return value.map((each, i) => item(each, index(path, i), causes)).filter((each) => each !== undefined);
  };
}

export function integerReader(min: number, max: number): Read<number> {
  return (value, path, causes) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    causes.push(invalid(path, value, `must be a whole number from ${min} to ${max}`));
    return undefined;
  };
}

export const readText: Read<string> = (value, path, causes) => {
  if (typeof value === 'string' && value !== '') return value;
  causes.push(value === '' ? required(path) : typeInvalid(path, value, 'must be a string'));
  return undefined;
};

export const readFlag: Read<boolean> = (value, path, causes) => {
  if (typeof value === 'boolean') return value;
  causes.push(typeInvalid(path, value, 'must be true or false'));
  return undefined;
};

export function enumReader<const V extends readonly string[]>(values: V): Read<V[number]> {
  return (value, path, causes) => {
    if (values.includes(value as string)) return value as V[number];
    causes.push(notSupported(path, value, values));
    return undefined;
  };
}
