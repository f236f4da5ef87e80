import { stringify } from 'yaml';
import { crdOf } from '#platform/schema/crd';
import type { Kind } from '#platform/schema/kind';

/** Returns the CustomResourceDefinition of a kind as a file for `kubectl apply`. */
export function crdFile(kind: Kind): { path: string; text: string } {
  const yaml = stringify(crdOf(kind), { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' });
  return {
    path: `deploy/crds/${kind.group}_${kind.plural}.yaml`,
    text: `# Written by 'npm run generate' from src/api; edit the kind there.\n${yaml}`,
  };
}
