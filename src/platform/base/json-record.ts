type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON object that somebody has recorded in a status or an annotation. It may hold anything, so that text which
 * is no object counts as an empty one: an error would come again with every attempt.
 */
export function readRecord(text: string): JsonRecord {
  const read = parse(text);
  return isRecord(read) ? read : {};
}

/** Reads a list of such objects; whatever else is in it is left out. */
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
