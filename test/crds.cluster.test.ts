import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import type { KubeObject } from '#platform/kube/kube-object';
import { readManifest } from '#platform/kube/manifest';
import { missingAssets } from './cluster/assets.ts';
import { startRealCluster } from './cluster/real-cluster.ts';
import { onCluster } from './e2e/support/on-cluster.ts';

const DIRECTORY = resolve(import.meta.dirname, '../deploy/crds');
const FILES = readdirSync(DIRECTORY);

interface Versions extends KubeObject {
  readonly spec: { readonly versions: readonly object[] };
}

/** A server that changes a CRD would see a difference when another client applies the same CRD again. */
describe.skipIf(missingAssets().length > 0)('CRDs on kube-apiserver', () => {
  const place = onCluster(() => startRealCluster());

  it.each(FILES)('are stored as applied, by several clients: %s', async (file) => {
    const [document] = readManifest(readFileSync(join(DIRECTORY, file), 'utf8')).documents;
    const definition = document?.object as Versions;
    await place.ok(`apply --server-side --field-manager=one -f ${join(DIRECTORY, file)}`);
    const client = await place.target.client();
    const stored = await client.get(CUSTOM_RESOURCE_DEFINITIONS, definition.metadata.name ?? '');
    expect((stored as unknown as Versions).spec.versions).toEqual(definition.spec.versions);
    await place.ok(`apply --server-side --field-manager=two -f ${join(DIRECTORY, file)}`);
  });
});
