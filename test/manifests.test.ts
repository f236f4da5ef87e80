import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS } from '#api/kinds';
import { formatFieldError } from '#platform/base/field-error';
import { readManifest } from '#platform/kube/manifest';
import { findAdmission } from '#vm/dialects/admitters';

const admissionOf = findAdmission();

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
}

function problemsOf(object: unknown): string[] {
  const { apiVersion, kind } = object as Named;
  const admit = admissionOf(apiVersion, kind);
  const isOurs = KINDS.some(({ group }) => apiVersion.startsWith(`${group}/`));
  if (admit === undefined) return isOurs ? [`no kind ${apiVersion} ${kind}`] : [];
  const user = { name: 'jane', groups: [] };
  const { causes, unknownFields } = admit({ operation: 'CREATE', object, user, lookup: () => undefined });
  return [...unknownFields, ...causes.map(formatFieldError)];
}

describe('examples', () => {
  const files = globSync('examples/**/*.yaml').sort();

  it.each(files)('%s starts with a description, and would be accepted', (file) => {
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^# [A-Z].{10,}\n/);
    const { documents, problems } = readManifest(text);
    expect(problems).toEqual([]);
    expect(documents.length).toBeGreaterThan(0);
    for (const { object } of documents) expect(problemsOf(object)).toEqual([]);
  });

  it.each([...new Set(files.map((file) => dirname(file)))])('of %s have unique names', (folder) => {
    const names = files
      .filter((file) => dirname(file) === folder)
      .flatMap((file) => readManifest(readFileSync(file, 'utf8')).documents)
      .map(({ object }) => {
        const { apiVersion, kind, metadata } = object as Named & { readonly metadata?: { readonly name?: string } };
        return `${apiVersion} ${kind} ${metadata?.name}`;
      });
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('show every kind', () => {
    const shown = files.flatMap((file) => readManifest(readFileSync(file, 'utf8')).documents);
    const kinds = new Set(
      shown.map(({ object }) => `${(object as Named).apiVersion.split('/')[0]} ${(object as Named).kind}`),
    );
    for (const { group, kind } of KINDS) expect(kinds).toContain(`${group} ${kind}`);
  });

  it.each(KINDS.map((kind) => [`${kind.kind}.${kind.group}`, kind] as const))(
    'of the reference of %s work',
    (_name, kind) => {
      const { name, spec } = kind.example;
      const object = structuredClone({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, spec });
      expect(problemsOf(object)).toEqual([]);
    },
  );
});

describe('existing manifests of users', () => {
  it.each(globSync('test/fixtures/documented/*.yaml').sort())('%s is accepted unchanged', (file) => {
    const { documents, problems } = readManifest(readFileSync(file, 'utf8'));
    expect(problems).toEqual([]);
    for (const { object } of documents) expect(problemsOf(object)).toEqual([]);
  });
});
