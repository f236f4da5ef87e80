/** Directory of an image, with its files and directories in the order of their names. */
export interface IsoDirectory {
  readonly name: string;
  readonly parent: IsoDirectory | undefined;
  readonly directories: IsoDirectory[];
  readonly files: IsoFile[];
}

export interface IsoFile {
  readonly name: string;
  readonly data: Uint8Array;
}

/** Returns the root of a tree of files, given by their paths. */
export function isoTree(files: Readonly<Record<string, Uint8Array>>): IsoDirectory {
  const root: IsoDirectory = { name: '', parent: undefined, directories: [], files: [] };
  for (const path of Object.keys(files).sort()) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    directoryAt(root, parts).files.push({ name, data: files[path] ?? new Uint8Array() });
  }
  return root;
}

function directoryAt(root: IsoDirectory, parts: readonly string[]): IsoDirectory {
  let directory = root;
  for (const name of parts) {
    let next = directory.directories.find((each) => each.name === name);
    if (next === undefined) {
      next = { name, parent: directory, directories: [], files: [] };
      directory.directories.push(next);
    }
    directory = next;
  }
  return directory;
}

/** Returns all directories level by level, which is the order of a path table. */
export function directoriesOf(root: IsoDirectory): IsoDirectory[] {
  const all = [root];
  for (const directory of all) all.push(...directory.directories);
  return all;
}
