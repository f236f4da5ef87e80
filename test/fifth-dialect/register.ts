import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = import.meta.url;

/** The line that a fifth group adds to each list, and the line with the import that it needs. */
const LISTS: Readonly<Record<string, { readonly line: string; readonly from?: string }>> = {
  'src/api/groups.ts': { line: "example: 'example.org'," },
  'src/api/api-groups.ts': { line: 'example: exampleGroup,', from: './api-group.ts' },
  'src/vm/dialects/registrations.ts': { line: 'example: exampleRegistration,', from: './registration.ts' },
};

/** Adds the lines to the lists as they are loaded, so that no file of src has to name the group. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const [, added] = Object.entries(LISTS).find(([path]) => url === new URL(`../../${path}`, here).href) ?? [];
    if (added === undefined) return loaded;
    const text = readFileSync(fileURLToPath(url), 'utf8');
    const [, name] = added.line.split(/[ ,]+/);
    const imported = added.from === undefined ? '' : `import { ${name} } from '${new URL(added.from, here).href}';\n`;
    return { ...loaded, source: imported + text.replace(/(  simulation: .*\n)/, `$1  ${added.line}\n`) };
  },
});
