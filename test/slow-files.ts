/** Tests beside others of their kind that take too long for `npm test`, and run with the longer ones instead. */
export const SLOW_FILES = [
  // Damaging stores takes many starts of a server.
  'test/attacks/store.test.ts',
  'test/e2e/chart-exporter.test.ts',
  'test/e2e/launcher.test.ts',
  'test/e2e/up-dialects.test.ts',
  // Each case starts programs of the host: a shell, or qemu-img in its sandbox, twice with strace.
  'src/vm/guest-image/cloud-config-script.test.ts',
  'src/vm/image-store/inspect/hostile-images.test.ts',
];
