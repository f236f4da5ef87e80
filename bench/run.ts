import { globSync } from 'node:fs';
import { basename } from 'node:path';

/** Runs `npm run bench [name]`. Each other file of bench/ exports `run`, which prints its figures. */
const names = globSync('bench/*.ts')
  .map((path) => basename(path, '.ts'))
  .filter((name) => name !== 'run')
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark called ${unknown.join(', ')}; there are: ${names.join(', ')}`);
  process.exit(1);
}
for (const name of wanted.length > 0 ? wanted : names) {
  console.log(`\n${name}`);
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<void> };
  await run();
}
