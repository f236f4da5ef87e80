/** Tests beside others of their kind that take too long for `npm test`, and run with the longer ones instead. */
export const SLOW_FILES = [
  // Damaging stores takes many starts of a server.
  'test/attacks/store.test.ts',
  'test/e2e/launcher.test.ts',
  'test/e2e/up-dialects.test.ts',
];
