/** The most bytes that one unit of a JavaScript string takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** How many bytes a text takes in UTF-8, without making them; half a pair counts as the mark that stands for it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes += unit < 0x8_00 ? 1 : 2;
    if (isHighHalf(unit) && isLowHalf(text.charCodeAt(i + 1))) {
      // A pair takes four bytes: two for each of its halves.
      i++;
    }
  }
  return bytes;
}

const isHighHalf = (unit: number) => (unit & 0xfc_00) === 0xd8_00;
const isLowHalf = (unit: number) => (unit & 0xfc_00) === 0xdc_00;

/** Whether a text takes more than so many bytes in UTF-8; most texts are so short or so long that none is counted. */
export function exceedsBytes(text: string, most: number): boolean {
  return text.length > most || (text.length * BYTES_PER_UNIT > most && utf8Length(text) > most);
}
