import type { Kind } from '#platform/schema/kind';

/** Generates the index of the reference: every kind with a line and a link. */
export function referenceIndex(kinds: readonly Kind[]): { path: string; text: string } {
  const rows = kinds.map(
    ({ group, kind, shortNames, description }) =>
      `| [${kind}](${group}/${kind.toLowerCase()}.md) | ${group} | ${shortNames.map((name) => `\`${name}\``).join(', ')} | ${description.replaceAll('\n', ' ')} |`,
  );
  const text = ['# Kinds', '', '| kind | group | short names | what it is |', '|---|---|---|---|', ...rows].join('\n');
  return {
    path: 'docs/reference/kinds.md',
    text: `<!-- Written by 'npm run generate' from src/api; edit the kind there. -->\n${text}\n`,
  };
}
