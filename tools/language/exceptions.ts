/**
 * Files and directories that keep a word. An entry without words covers the whole table. Delete an entry with the last
 * use of its word there.
 */
export const EXCEPTIONS: readonly { readonly path: string; readonly words?: readonly string[] }[] = [
  // These name the words in order to replace them.
  { path: 'docs/language.md' },
  { path: 'tools/language' },
  { path: 'tools/renames' },
  // A public name of the package.
  { path: 'src/index.ts', words: ['surroundings'] },
];
