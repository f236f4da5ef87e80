import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { ConfigError } from '#platform/base/errors';
import { formatKubeconfig, type KubeconfigContent } from './format-kubeconfig.ts';

const LISTS = ['clusters', 'users', 'contexts'] as const;

/**
 * Returns the text of a kubeconfig with the cluster, user and context of one name added or replaced. Everything else
 * stays, comments included. A new current context is set only on request.
 */
export function withKubeconfigEntries(
  text: string,
  file: string,
  content: KubeconfigContent,
  { makeCurrent }: { readonly makeCurrent: boolean },
): string {
  const added = parseDocument(formatKubeconfig(content));
  if (text.trim() === '') {
    if (!makeCurrent) added.delete('current-context');
    return added.toString({ lineWidth: 0 });
  }
  const document = parseKubeconfig(text, file);
  assertOurs(document, file, content.name);
  for (const list of LISTS) {
    removeNamed(document, list, content.name);
    const entry = (added.getIn([list, 0], true) as YAMLMap).clone();
    if (isSeq(document.get(list))) document.addIn([list], entry);
    else document.set(list, document.createNode([entry]));
  }
  if (makeCurrent) document.set('current-context', content.name);
  return document.toString({ lineWidth: 0 });
}

/** Returns the text without the entries of a name, or undefined if there are none. */
export function withoutKubeconfigEntries(text: string, file: string, name: string): string | undefined {
  const document = parseKubeconfig(text, file);
  const removed = LISTS.map((list) => removeNamed(document, list, name));
  if (!removed.includes(true)) return undefined;
  if (document.get('current-context') === name) document.set('current-context', '');
  return document.toString({ lineWidth: 0 });
}

function parseKubeconfig(text: string, file: string): Document {
  const document = parseDocument(text);
  const isConfig = document.errors.length === 0 && (document.contents === null || isMap(document.contents));
  if (isConfig) return document;
  // The message of the parser quotes the text, which contains secrets.
  throw new ConfigError(`${file} is not a kubeconfig, and was not changed`, {
    hint: 'Fix or move it, or set KUBECONFIG to another file.',
  });
}

/** Rejects a name that belongs to a cluster on another host. */
function assertOurs(document: Document, file: string, name: string): void {
  const server = entriesOf(document, 'clusters')
    .find((entry) => entry.get('name') === name)
    ?.getIn(['cluster', 'server']);
  if (typeof server !== 'string' || /^https?:\/\/(?:127\.|localhost\b|\[::1\]|0\.0\.0\.0)/.test(server)) return;
  throw new ConfigError(`${file} has a cluster "${name}" on another host, and was not changed`, {
    hint: `Rename it (kubectl config rename-context), or set KUBECONFIG to another file.`,
  });
}

function entriesOf(document: Document, list: string): YAMLMap[] {
  const entries = document.get(list);
  return isSeq(entries) ? entries.items.filter((entry) => isMap(entry)) : [];
}

function removeNamed(document: Document, list: string, name: string): boolean {
  const entries = document.get(list);
  if (!isSeq(entries)) return false;
  const kept = entries.items.filter((entry) => !isMap(entry) || entry.get('name') !== name);
  const isRemoved = kept.length < entries.items.length;
  entries.items = kept;
  return isRemoved;
}
