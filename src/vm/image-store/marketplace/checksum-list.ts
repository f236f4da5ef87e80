/** Finds the digest of a file in a list as sha256sum prints it. Returns undefined if it is not listed. */
export function digestInList(list: string, file: string): string | undefined {
  for (const line of list.split('\n')) {
    const [, hex, name] = /^([0-9a-fA-F]{32,128})[ \t]+\*?(?:\.\/)?(.+?)\r?$/.exec(line) ?? [];
    if (hex !== undefined && name === file) return hex.toLowerCase();
  }
  return undefined;
}

/** Returns the file name at the end of an address. */
export function fileNameIn(address: string): string {
  return new URL(address).pathname.split('/').at(-1) ?? '';
}
