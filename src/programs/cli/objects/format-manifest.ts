import { stringify } from 'yaml';

/** Formats an object as a manifest that kubectl can apply. */
export function formatManifest(object: object, format: 'yaml' | 'json'): string {
  if (format === 'json') return `${JSON.stringify(object, undefined, 2)}\n`;
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
}
