import { stringify } from 'yaml';

/** An object as text that kubectl applies. */
export function formatManifest(object: object, format: 'yaml' | 'json'): string {
  if (format === 'json') return `${JSON.stringify(object, undefined, 2)}\n`;
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
}
