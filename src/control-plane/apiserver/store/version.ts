import type { Entry } from './store.ts';

/** Holds one value of one key, linked to the previous one; a deletion is a version without a value. */
export class Version {
  readonly key: string;
  readonly value: string | undefined;
  readonly revision: number;
  readonly createRevision: number;
  memo: object | undefined;
  #older: Version | undefined = undefined;

  constructor(key: string, value: string | undefined, revision: number, createRevision: number, memo?: object) {
    this.key = key;
    this.value = value;
    this.revision = revision;
    this.createRevision = createRevision;
    this.memo = memo;
  }

  /** Links this version to the one it supersedes. */
  supersede(older: Version | undefined): void {
    this.#older = older;
  }

  /** Drops everything before this version, once no readable revision can reach it. */
  forgetOlder(): void {
    this.#older = undefined;
  }

  /** Returns the version of the key that was current at a revision. */
  at(revision: number): Version | undefined {
    if (this.revision <= revision) return this;
    let version = this.#older;
    while (version !== undefined && version.revision > revision) version = version.#older;
    return version;
  }
}

/** Returns the version as an entry, unless it is a deletion. */
export function live(version: Version | undefined): Entry | undefined {
  return version?.value === undefined ? undefined : (version as Entry);
}
