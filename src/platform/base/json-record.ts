type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON object that was recorded in a status or an annotation. Text that is not an object counts as an empty
 * one, because an error would recur with every attempt.
 */
export function readRecord(text: string): JsonRecord {
  const read = parse(text);
  return isRecord(read) ? read : {};
}

/** Reads a list of such objects and skips all other items. */
export function readRecords(text: string): readonly JsonRecord[] {
  const read = parse(text);
  return Array.isArray(read) ? read.filter(isRecord) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
