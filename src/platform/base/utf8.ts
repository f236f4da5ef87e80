/** Maximum number of UTF-8 bytes that one unit of a JavaScript string takes. */
const BYTES_PER_UNIT = 3;

/** Counts the bytes a text takes in UTF-8 without encoding it. A lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x8_00 ? 1 : 2;
    if (isHighHalf(unit) && isLowHalf(text.charCodeAt(i + 1))) {
      // A surrogate pair takes four bytes: two for each of its halves.
      i++;
    }
  }
  return bytes;
}

const isHighHalf = (unit: number) => (unit & 0xfc_00) === 0xd8_00;
const isLowHalf = (unit: number) => (unit & 0xfc_00) === 0xdc_00;

/**
 * Reports whether a text takes more than `most` bytes in UTF-8. Most texts are so short or so long that no byte is
 * counted.
 */
export function exceedsBytes(text: string, max: number): boolean {
  return text.length > max || (text.length * BYTES_PER_UNIT > max && utf8Length(text) > max);
}
