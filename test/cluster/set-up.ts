import { missingAssets } from './assets.ts';
import { build, hasGo } from './build.ts';

/** Builds missing programs before the first test, if Go is installed. */
export default async function setUp(): Promise<void> {
  const missing = missingAssets();
  const say = (line: string) => process.stdout.write(`${line}\n`);
  if (missing.length === 0) return;
  if (hasGo()) await build(missing, say);
  else
    say(`skipped: tests on real Kubernetes need ${missing.join(', ')} (in KUBE_ASSETS or PATH), or Go to build them`);
}
