import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, hasGo } from '../cluster/build.ts';
import type { Program } from '../cluster/recipes.ts';

export const CSI_PROGRAMS = [
  'hostpathplugin',
  'csi-provisioner',
  'csi-snapshotter',
  'snapshot-controller',
] as const satisfies readonly Program[];

const MODULE = resolve(import.meta.dirname, '../cluster/go/csi-snapshotter');
const KINDS = 'github.com/kubernetes-csi/external-snapshotter/client/v8';

/** Builds missing programs of a CSI driver. Returns one line that says what is missing, or '' if nothing is. */
export async function missingForCsi(): Promise<string> {
  // The CRDs of VolumeSnapshots only exist in a Go module.
  if (!hasGo()) return 'Go, to build the programs of a CSI driver and to find the definitions of VolumeSnapshots';
  try {
    await build(CSI_PROGRAMS, (line) => process.stdout.write(`${line}\n`));
    definitionFiles();
    return '';
  } catch (error) {
    return `programs that Go could not get: ${(error as Error).message.replaceAll('\n', ' ').slice(0, 300)}`;
  }
}

/** Returns the files with the CRDs of VolumeSnapshots, their classes and contents, in the module cache of Go. */
export function definitionFiles(): readonly string[] {
  const env = { ...process.env, GOWORK: 'off' };
  const { stdout, stderr } = spawnSync('go', ['mod', 'download', '-json', KINDS], {
    cwd: MODULE,
    env,
    encoding: 'utf8',
  });
  const { Dir = '', Error = stderr } = JSON.parse(stdout || '{}') as { Dir?: string; Error?: string };
  if (Dir === '') throw new TypeError(`go could not get ${KINDS}: ${Error}`);
  const folder = join(Dir, 'config/crd');
  return readdirSync(folder)
    .filter((name) => name.startsWith('snapshot.storage.k8s.io_'))
    .map((name) => join(folder, name));
}
