/** Entry of a package in a lock file. */
interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, Locked>>;
}

/**
 * Returns how `npm install` changed a lock file. It may add optional packages for other platforms, which it does if a
 * registry has some that the one that wrote the file did not have.
 */
export function lockChanges(before: LockFile, after: LockFile): string[] {
  const names = [...new Set([...Object.keys(before.packages), ...Object.keys(after.packages)])].toSorted();
  return names.flatMap((name) => {
    const [old, now] = [before.packages[name], after.packages[name]];
    if (now === undefined) return [`${name} is gone`];
    if (old === undefined) return now.optional === true ? [] : [`${name} ${now.version ?? ''} is new`];
    const isSame = old.version === now.version && old.integrity === now.integrity;
    return isSame ? [] : [`${name} changed from ${old.version ?? ''} to ${now.version ?? ''}`];
  });
}
