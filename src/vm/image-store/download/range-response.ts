/** Headers of a response, as far as ranges are concerned. */
interface Headers {
  get(name: string): string | null;
}

/** How a response continues a file of which some bytes are there. */
export type RangeResult =
  | {
      readonly from: number;
      readonly total: number | undefined;
      readonly tag: string | undefined;
      /** All bytes are there, so that the response has none of them. */
      readonly isComplete: boolean;
    }
  | 'not modified'
  | 'restart';

/**
 * Decides what a response means for a file of which `received` bytes are there. Returns undefined for a status that is
 * a failure.
 */
export function rangeResult(status: number, headers: Headers, received: number): RangeResult | undefined {
  if (status === 304) return 'not modified';
  const tag = validatorOf(headers);
  if (status === 200) return { from: 0, total: lengthOf(headers), tag, isComplete: false };
  if (status === 416) {
    const [, size] = /^bytes \*\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
    return Number(size) === received ? { from: received, total: received, tag, isComplete: true } : 'restart';
  }
  if (status !== 206) return undefined;
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (Number(first) !== received) return 'restart';
  return { from: received, total: total === '*' ? undefined : Number(total), tag, isComplete: false };
}

/** Weak tags do not promise equal bytes. */
function validatorOf(headers: Headers): string | undefined {
  const tag = headers.get('etag');
  if (tag !== null && !tag.startsWith('W/')) return tag;
  return headers.get('last-modified') ?? undefined;
}

function lengthOf(headers: Headers): number | undefined {
  const text = headers.get('content-length');
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}
