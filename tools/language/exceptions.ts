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
  // Command help and field descriptions, and the references that are generated from them.
  { path: 'docs/reference', words: ['deed', 'anew', 'heed', 'heeded', 'foretold', 'whoever'] },
  { path: 'src/api', words: ['anew', 'heeded'] },
  { path: 'src/programs', words: ['deed', 'anew', 'heed', 'heeds', 'foretold', 'whoever', 'spoilt'] },
];

/** Names that are still to be replaced. */
export const NAMES: ReadonlySet<string> = new Set([
  'BREATH',
  'DEEDS',
  'Deed',
  'HAPPENINGS',
  'Happening',
  'NO_REHEARSAL',
  'STANDSTILL',
  'Sights',
  '_toil',
  'anew',
  'asker',
  'breath',
  'claimsAnew',
  'decidedAnew',
  'deed',
  'gatherer',
  'happening',
  'happenings',
  'madeAnew',
  'readAnew',
  'runsAnew',
  'sight',
  'sights',
  'spoilt',
  'startAnew',
  'surroundings',
  'surroundingsOf',
  'teller',
  'whereabouts',
]);
