import { LAYERS } from '../layers/table.ts';

const BLOCK = /(<!-- layers:[^\n]*-->\n)[^]*?(<!-- \/layers -->)/;

/** Returns ARCHITECTURE.md with the import table of tools/layers. */
export function withLayersTable(architecture: string): string {
  if (!BLOCK.test(architecture)) throw new Error('ARCHITECTURE.md has no block <!-- layers: ... --> for the table');
  const rows = Object.entries(LAYERS).map(
    ([name, { contents, may, groups }]) =>
      `| ${name} | ${contents} | ${may.length === 0 ? 'nothing' : may.map((each) => formatImported(each, groups)).join(', ')} |`,
  );
  const table = ['| layer of `src` | contents | may import |', '|---|---|---|', ...rows].join('\n');
  return architecture.replace(BLOCK, (_block, begin: string, end: string) => `${begin}${table}\n${end}`);
}

/** Names what a layer may import: of `api`, it may be restricted to the kinds of some groups. */
function formatImported(imported: string, groups: readonly string[] | undefined): string {
  return imported === 'api' && groups !== undefined ? `api (only ${groups.join(', ')})` : imported;
}
