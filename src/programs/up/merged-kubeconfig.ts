import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { withKubeconfigEntries, withoutKubeconfigEntries } from '#platform/kube/kubeconfig/edit-kubeconfig';
import type { KubeconfigContent } from '#platform/kube/kubeconfig/format-kubeconfig';
import { editKubeconfig, mergeTarget } from '#platform/kube/kubeconfig/merged-file';
import { writePrivateFile } from '#platform/kube/kubeconfig/private-file';

/** Entries that an instance has added to a kubeconfig of the user. */
interface Merged {
  readonly file: string;
  readonly name: string;
}

const recordOf = (dataDir: string) => join(dataDir, 'merged-kubeconfig.json');

/**
 * Adds the cluster, user and context of an instance to the user's kubeconfig and makes it current. Without a request, it
 * only updates entries of an earlier start, whose port may differ.
 */
export async function mergeKubeconfig(
  dataDir: string,
  content: KubeconfigContent,
  { requested, clock }: { readonly requested: boolean; readonly clock: Clock },
): Promise<Merged | undefined> {
  const before = readMerged(dataDir);
  if (!requested && before === undefined) return undefined;
  const file = requested ? resolve(mergeTarget(process.env)) : (before as Merged).file;
  if (before !== undefined && (before.file !== file || before.name !== content.name)) await unmerge(before, clock);
  await editKubeconfig(file, clock, (text) => withKubeconfigEntries(text, file, content, { makeCurrent: requested }));
  const merged = { file, name: content.name };
  writePrivateFile(recordOf(dataDir), `${JSON.stringify(merged)}\n`);
  return merged;
}

/** Removes the entries of an instance from the user's kubeconfig, and returns what was removed. */
export async function unmergeKubeconfig(dataDir: string, clock: Clock): Promise<Merged | undefined> {
  const merged = readMerged(dataDir);
  if (merged === undefined) return undefined;
  await unmerge(merged, clock);
  rmSync(recordOf(dataDir), { force: true });
  return merged;
}

async function unmerge({ file, name }: Merged, clock: Clock): Promise<void> {
  await editKubeconfig(file, clock, (text) => withoutKubeconfigEntries(text, file, name));
}

function readMerged(dataDir: string): Merged | undefined {
  try {
    return JSON.parse(readFileSync(recordOf(dataDir), 'utf8')) as Merged;
  } catch {
    return undefined;
  }
}
