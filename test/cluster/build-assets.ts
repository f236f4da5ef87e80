import { ASSETS, type Asset } from './assets.ts';
import { build, hasGo, isHere } from './build.ts';
import { type Program, RECIPES } from './recipes.ts';

/** `node test/cluster/build-assets.ts [PROGRAM...]` builds the missing programs, by default all of a control plane. */
const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in RECIPES));
if (unknown.length > 0)
  throw new Error(`no program ${unknown.join(', ')}: there are ${Object.keys(RECIPES).join(', ')}`);
const wanted = (named.length > 0 ? named : (Object.keys(ASSETS) as Asset[])) as Program[];
const missing = wanted.filter((name) => !isHere(name));
if (missing.length > 0 && !hasGo()) {
  process.stderr.write(`missing, and there is no Go to build them: ${missing.join(', ')}\n`);
  // The exit code differs from that of a failed build.
  process.exitCode = 3;
} else {
  await build(missing, (line) => process.stdout.write(`${line}\n`));
}
