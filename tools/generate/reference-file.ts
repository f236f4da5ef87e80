import { stringify } from 'yaml';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Column, Kind } from '#platform/schema/kind';

/** Generates the reference page of a kind: description, example, columns, and a table of every field. */
export function referenceFile(kind: Kind): { path: string; text: string } {
  const { spec, status } = kind.schema.properties ?? {};
  const sections = [
    `# ${kind.kind} (${kind.group})`,
    kind.description,
    facts(kind),
    '## Example',
    `\`\`\`yaml\n${example(kind)}\`\`\``,
    '## spec',
    fieldTable(spec, 'spec'),
    ...rules('Rules that the API server checks', kind),
    '## status',
    fieldTable(status, 'status'),
    '## Columns of `kubectl get`',
    columnTable(kind.columns),
  ];
  return {
    path: `docs/reference/${kind.group}/${kind.kind.toLowerCase()}.md`,
    text: `<!-- Written by 'npm run generate' from src/api; edit the kind there. -->\n${sections.join('\n\n')}\n`,
  };
}

function facts(kind: Kind): string {
  const versions = kind.versions.map((version) => `\`${kind.group}/${version}\``).join(', ');
  const names = [kind.plural, kind.singular, ...kind.shortNames].map((name) => `\`${name}\``).join(', ');
  const scale = kind.scale === undefined ? '' : ' and `scale`';
  return `Versions ${versions}; names ${names}; always unambiguous: \`${kind.plural}.${kind.group}\`. Namespaced, with the \`status\`${scale} subresource.`;
}

function example(kind: Kind): string {
  const { name, spec } = kind.example;
  return stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, spec }, { lineWidth: 0 });
}

function columnTable(columns: readonly Column[]): string {
  const rows = columns.map(
    ({ name, path, description, wide }) =>
      `| ${name}${wide === true ? ' (wide)' : ''} | \`${path}\` | ${cell(description)} |`,
  );
  return ['| column | field | what it shows |', '|---|---|---|', ...rows].join('\n');
}

function fieldTable(schema: JsonSchema | undefined, path: string): string {
  const rows = schema === undefined ? [] : fieldRows(schema, path);
  return ['| field | type | what it means |', '|---|---|---|', ...rows].join('\n');
}

function fieldRows(schema: JsonSchema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const needed = schema.required?.includes(name) === true ? ' **required**' : '';
    const row = `| \`${path}.${name}\`${needed} | ${typeText(field)} | ${cell(meaning(field))} |`;
    const inner = innerOf(field);
    // A field that nothing acts on gets one row, since KubeVirt documents its nested fields.
    if (inner === undefined || field.description?.startsWith('KubeVirt field') === true) return [row];
    return [row, ...fieldRows(inner.schema, `${path}.${name}${inner.suffix}`)];
  });
}

function innerOf(field: JsonSchema): { schema: JsonSchema; suffix: string } | undefined {
  if (field.properties !== undefined) return { schema: field, suffix: '' };
  if (field.items?.properties !== undefined) return { schema: field.items, suffix: '[]' };
  const values = field.additionalProperties;
  return typeof values === 'object' && values.properties !== undefined ? { schema: values, suffix: '{}' } : undefined;
}

function typeText(field: JsonSchema): string {
  if (field['x-kubernetes-int-or-string'] === true) return field.pattern === undefined ? 'number or text' : 'quantity';
  if (field.items !== undefined) return `list of ${typeText(field.items)}`;
  if (typeof field.additionalProperties === 'object') return `map of ${typeText(field.additionalProperties)}`;
  if (field.format === 'date-time') return 'time';
  return field.type ?? 'any';
}

function meaning(field: JsonSchema): string {
  const parts = [field.description ?? ''];
  const values = field.enum ?? field.items?.enum;
  if (values !== undefined)
    parts.push(
      `One of ${values.map((value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``).join(', ')}.`,
    );
  const bounds = [
    field.minimum === undefined ? '' : `at least ${field.minimum}`,
    field.maximum === undefined ? '' : `at most ${field.maximum}`,
    field.maxLength === undefined ? '' : `at most ${field.maxLength} characters`,
    field.minItems === undefined ? '' : `at least ${field.minItems} items`,
    field.maxItems === undefined ? '' : `at most ${field.maxItems} items`,
  ].filter((bound) => bound !== '');
  if (bounds.length > 0) parts.push(`${bounds.join(', ').replace(/^a/, 'A')}.`);
  if (field.pattern !== undefined && field['x-kubernetes-int-or-string'] !== true)
    parts.push(`Pattern \`${field.pattern}\`.`);
  if (field.default !== undefined) parts.push(`Default \`${JSON.stringify(field.default)}\`.`);
  return parts.join(' ');
}

/** Escapes a cell of a Markdown table: one line, without a bar that would end it. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function rules(title: string, kind: Kind): string[] {
  const found = rulesOf(kind.schema, '').map(
    ({ path, message }) => `- ${path === '' ? '' : `\`${path}\`: `}${message}`,
  );
  return found.length === 0 ? [] : [`### ${title}`, found.join('\n')];
}

function rulesOf(schema: JsonSchema, path: string): { path: string; message: string }[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message, rule }) => ({
    path,
    message: message ?? rule,
  }));
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    rulesOf(field, path === '' ? name : `${path}.${name}`),
  );
  const items = schema.items === undefined ? [] : rulesOf(schema.items, `${path}[]`);
  const values = schema.additionalProperties;
  return [...own, ...fields, ...items, ...(typeof values === 'object' ? rulesOf(values, `${path}{}`) : [])];
}
