import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defineKind } from '#platform/schema/kind';
import { integer, object, requiredField } from '#platform/schema/schema';
import { crdFile } from './crd-file.ts';
import { differences } from './differences.ts';
import { generatedFiles } from './files.ts';
import { referenceFile } from './reference-file.ts';

const root = mkdtempSync(join(tmpdir(), 'vimana-generate-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function writeAll(): Map<string, string> {
  const files = generatedFiles();
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return files;
}

describe('the generated files', () => {
  it('of this repository are up to date', () => {
    expect(differences('.', generatedFiles())).toEqual([]);
  });

  it('are reported if they are missing, changed or obsolete', () => {
    const files = writeAll();
    expect(differences(root, files)).toEqual([]);
    rmSync(join(root, 'deploy/crds/hypersdk.io_vmsnapshots.yaml'));
    writeFileSync(join(root, 'docs/reference/kinds.md'), 'changed');
    writeFileSync(join(root, 'deploy/crds/removed.yaml'), '');
    expect(differences(root, files).sort()).toEqual([
      'deploy/crds/hypersdk.io_vmsnapshots.yaml is missing',
      'deploy/crds/removed.yaml belongs to no kind',
      'docs/reference/kinds.md differs from what src/api says',
    ]);
  });

  it('contain a new field everywhere after one edit', () => {
    const kind = defineKind({
      group: 'hypersdk.io',
      versions: ['v1alpha1'],
      kind: 'Thing',
      plural: 'things',
      shortNames: [],
      description: 'A thing.',
      spec: object('A spec.', {
        wings: integer('How many wings it has.', { default: 2, maximum: 6 }),
        tail: object('Its tail.', { length: requiredField(integer('How long it is.')) }),
      }),
      status: object('A status.', {}),
      columns: [],
      example: { name: 'thing', spec: {} },
    });
    const crd = parse(crdFile(kind).text);
    const field = { type: 'integer', description: 'How many wings it has.', default: 2, maximum: 6 };
    expect(crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.wings).toEqual(field);
    expect(referenceFile(kind).text).toContain('| `spec.tail.length` **required** | integer | How long it is. |');
    expect(referenceFile(kind).text).toContain(
      '| `spec.wings` | integer | How many wings it has. At most 6. Default `2`. |',
    );
  });
});
