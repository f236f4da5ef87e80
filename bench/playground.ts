import { bundleProgram } from '../tools/browser/bundle.ts';

/** Size of a control plane for a browser: what a page has to load. */
export async function run(): Promise<void> {
  const { bytes, gzipBytes } = await bundleProgram('src/programs/playground.ts', 'playground');
  const kib = (size: number) => `${Math.round(size / 1024)} KiB`;
  console.log(`  bundle ${kib(bytes)}, ${kib(gzipBytes)} with gzip`);
}
