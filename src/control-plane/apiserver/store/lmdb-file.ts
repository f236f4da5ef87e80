import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreError } from './store-error.ts';

/**
 * Reads an LMDB file without mapping it into memory, and trusts nothing in it: LMDB itself follows whatever a damaged
 * page says, and dies by a signal or shows less than was stored. The layout is that of LMDB's data version 2.
 */

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const PAGE_HEADER = 24;
const NODE_HEADER = 8;
const TREE_SIZE = 48;
const META_SIZE = 168;
/** Offset of the transaction number in each of the first two pages. */
export const TRANSACTION_AT = 152;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const [BRANCH, LEAF, OVERFLOW, META] = [1, 2, 4, 8];
const [BIG_DATA, SUB_DATA] = [1, 2];
/** Flag of the free-page list, and of no other tree: others would have another layout. */
const INTEGER_KEYS = 0x08;
/**
 * Number of bytes to read at a time, and number of such chunks to retain: consecutive pages of a tree may be far apart.
 */
const CHUNK = 64 * 1024;
const MAX_RETAINED_CHUNKS = 512;

/** Describes the root of one B-tree and what its file says about it. */
interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  readonly root: number | undefined;
}

interface Node {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly flags: number;
}

/** Holds the state of a walk over a tree. */
interface Walk {
  readonly tree: Tree;
  readonly compare: (a: Buffer, b: Buffer) => number;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
  /** Previous key, and the minimum of the next one. */
  last: Buffer | undefined;
  least: Buffer | undefined;
}

/** Reads and checks one LMDB file page by page. Every method throws `Corrupt` if the file is damaged. */
export class LmdbFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #size: number;
  readonly #chunks = new Map<number, Buffer>();
  /** One byte for each page that is in use. */
  #used = new Uint8Array(0);
  #pageSize = 0;
  #lastPage = 0;
  #transaction = 0n;

  private constructor(path: string, fd: number, size: number) {
    this.#path = path;
    this.#fd = fd;
    this.#size = size;
  }

  /**
   * Passes the entries of a file's named databases to a reader, then checks the rest of the file. Returns false if the
   * file is missing or empty.
   */
  static read(path: string, reader: (entriesOf: (name: string) => Iterable<Node>) => void): boolean {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    try {
      const { size } = fstatSync(fd);
      if (size === 0) return false;
      new LmdbFile(path, fd, size).#read(reader);
      return true;
    } finally {
      closeSync(fd);
    }
  }

  #read(reader: (entriesOf: (name: string) => Iterable<Node>) => void): void {
    const { free, main } = this.#newestMeta();
    const databases = new Map<string, Tree>();
    for (const { key, value, flags } of this.#walk(main)) {
      if (flags !== SUB_DATA || value.length !== TREE_SIZE) throw this.#damage('the list of databases is damaged');
      if (value.readUInt16LE(4) !== 0) throw this.#damage('the flags of a database are damaged');
      databases.set(key.toString('latin1').replace(/\0$/, ''), treeAt(value, 0));
    }
    reader((name) => {
      const tree = databases.get(name);
      return tree === undefined ? [] : this.#walk(tree);
    });
    this.#checkFreePages(free);
  }

  /** Returns the state of the file: the newer of the two pages that transactions write in turn. */
  #newestMeta(): { free: Tree; main: Tree } {
    if (this.#size < META_SIZE) throw this.#damage(`it has only ${this.#size} bytes`);
    const first = this.#bytes(0, META_SIZE);
    this.#checkMeta(first, 'first');
    this.#pageSize = first.readUInt32LE(48);
    if (![4096, 8192, 16_384, 32_768].includes(this.#pageSize)) throw this.#damage('its first page is damaged');
    const second = this.#bytes(this.#pageSize, META_SIZE);
    this.#checkMeta(second, 'second');
    const [older, newer] =
      first.readBigUInt64LE(TRANSACTION_AT) > second.readBigUInt64LE(TRANSACTION_AT)
        ? [second, first]
        : [first, second];
    this.#transaction = newer.readBigUInt64LE(TRANSACTION_AT);
    // Each transaction writes the page that the one before did not.
    if (this.#transaction - older.readBigUInt64LE(TRANSACTION_AT) > 1n)
      throw this.#damage('its first pages contradict each other');
    if (older.readUInt32LE(48) !== newer.readUInt32LE(48)) throw this.#damage('its first pages contradict each other');
    this.#lastPage = this.#count(newer.readBigUInt64LE(144));
    if (newer.readBigUInt64LE(40) < BigInt(this.#lastPage) * BigInt(this.#pageSize)) {
      throw this.#damage('the size in its first pages is damaged');
    }
    this.#used = new Uint8Array(Math.min(this.#lastPage + 1, Math.ceil(this.#size / this.#pageSize)));
    this.#used.fill(1, 0, 2);
    return { free: treeAt(newer, 48), main: treeAt(newer, 96) };
  }

  #checkMeta(page: Buffer, which: string): void {
    const isMeta = page.readUInt16LE(18) === META && page.readUInt32LE(24) === MAGIC;
    const hasFlags = page.readUInt16LE(52) === INTEGER_KEYS && page.readUInt16LE(100) === 0;
    // LMDB reserves that much address space.
    const hasSize = page.readBigUInt64LE(40) < 1n << 46n;
    if (!isMeta || !hasFlags || !hasSize) throw this.#damage(`its ${which} page is damaged`);
    const version = page.readUInt32LE(28);
    if (version !== DATA_VERSION) throw this.#damage(`its ${which} page has version ${version}, not ${DATA_VERSION}`);
  }

  *#walk(tree: Tree): Generator<Node> {
    const compare = tree.flags === INTEGER_KEYS ? compareIntegers : (a: Buffer, b: Buffer) => Buffer.compare(a, b);
    const zero = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    const walk: Walk = { tree, compare, ...zero, last: undefined, least: undefined };
    if (tree.root !== undefined) yield* this.#walkPage(walk, tree.root, 1);
    for (const what of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const) {
      if (walk[what] !== tree[what]) throw this.#damage(`expected ${tree[what]} ${what}, found ${walk[what]}`);
    }
  }

  *#walkPage(walk: Walk, number: number, depth: number): Generator<Node> {
    const page = this.#page(number, 1);
    const flags = page.readUInt16LE(18);
    const isLeaf = depth === walk.tree.depth;
    if (depth > walk.tree.depth || flags !== (isLeaf ? LEAF : BRANCH)) throw this.#damaged(number);
    walk[isLeaf ? 'leafPages' : 'branchPages']++;
    const lower = page.readUInt16LE(20);
    const upper = page.readUInt16LE(22);
    // Both count from the end of the header.
    const room = this.#pageSize - PAGE_HEADER;
    if (lower > upper || upper > room || lower % 2 !== 0 || lower === 0) throw this.#damaged(number);
    for (let at = 0; at < lower; at += 2) {
      const start = page.readUInt16LE(PAGE_HEADER + at) + PAGE_HEADER;
      if (start < PAGE_HEADER + upper || start + NODE_HEADER > this.#pageSize) throw this.#damaged(number);
      const nodeFlags = page.readUInt16LE(start + 4);
      const keyEnd = start + NODE_HEADER + page.readUInt16LE(start + 6);
      if (keyEnd > this.#pageSize) throw this.#damaged(number);
      const key = page.subarray(start + NODE_HEADER, keyEnd);
      const size = page.readUInt32LE(start);
      if (isLeaf) yield this.#leafNode(walk, number, page, { key, keyEnd, size, flags: nodeFlags });
      else {
        if (at > 0) this.#separate(walk, number, key);
        yield* this.#walkPage(walk, size + nodeFlags * 0x1_0000_0000, depth + 1);
      }
    }
  }

  /** Checks a key of a branch page: everything before it is less, and nothing after it is. */
  #separate(walk: Walk, number: number, key: Buffer): void {
    if (key.length === 0 || walk.last === undefined || walk.compare(walk.last, key) >= 0) throw this.#damaged(number);
    walk.least = key;
  }

  #leafNode(
    walk: Walk,
    number: number,
    page: Buffer,
    { key, keyEnd, size, flags }: { key: Buffer; keyEnd: number; size: number; flags: number },
  ): Node {
    const isBig = (flags & BIG_DATA) !== 0;
    if ((flags & ~(BIG_DATA | SUB_DATA)) !== 0 || key.length === 0) throw this.#damaged(number);
    if (keyEnd + (isBig ? 8 : size) > this.#pageSize) throw this.#damaged(number);
    if (walk.last !== undefined && walk.compare(walk.last, key) >= 0) throw this.#damaged(number);
    if (walk.least !== undefined && walk.compare(walk.least, key) > 0) throw this.#damaged(number);
    walk.least = undefined;
    walk.last = key;
    walk.entries++;
    const value = isBig
      ? this.#overflow(walk, this.#count(page.readBigUInt64LE(keyEnd)), size)
      : page.subarray(keyEnd, keyEnd + size);
    return { key, value, flags: flags & SUB_DATA };
  }

  /** Reads a value that has pages of its own. */
  #overflow(walk: Walk, number: number, size: number): Buffer {
    const pages = Math.ceil((size + PAGE_HEADER) / this.#pageSize);
    const bytes = this.#page(number, pages);
    if (bytes.readUInt16LE(18) !== OVERFLOW || bytes.readUInt32LE(20) < pages) throw this.#damaged(number);
    const taken = bytes.readUInt32LE(20);
    for (let i = pages; i < taken; i++) this.#use(number + i);
    walk.overflowPages += taken;
    return bytes.subarray(PAGE_HEADER, PAGE_HEADER + size);
  }

  /** Checks that free pages, to which LMDB writes new content, are not used by anything else. */
  #checkFreePages(free: Tree): void {
    for (const { value } of this.#walk(free)) {
      const words = value.length >= 8 ? Number(value.readBigUInt64LE(0)) : -1;
      if (words < 0 || 8 + words * 8 > value.length) throw this.#damage('the list of its free pages is damaged');
      for (let at = 8; at <= words * 8; at += 8) {
        let word = value.readBigInt64LE(at);
        // A negative word is the length of a run of pages, the first of which follows.
        const length = word < 0n ? -word : 1n;
        if (word < 0n) {
          at += 8;
          word = at <= words * 8 ? value.readBigInt64LE(at) : -1n;
        }
        if (word === 0n && length === 1n) continue;
        if (word < 2n || word + length - 1n > BigInt(this.#lastPage))
          throw this.#damage('the list of its free pages is damaged');
        for (let page = Number(word); page < Number(word + length); page++) {
          if (this.#used[page] === 1) throw this.#damage(`page ${page} is listed as free but is in use`);
        }
      }
    }
  }

  /** Reads a page with those that follow it. Each may be used only once. */
  #page(number: number, pages: number): Buffer {
    for (let i = 0; i < pages; i++) this.#use(number + i);
    const bytes = this.#bytes(number * this.#pageSize, pages * this.#pageSize);
    if (bytes.readBigUInt64LE(0) !== BigInt(number)) throw this.#damaged(number);
    // A page that seems to be of a later transaction would be overwritten in place.
    if (bytes.readBigUInt64LE(8) > this.#transaction) throw this.#damaged(number);
    return bytes;
  }

  #use(number: number): void {
    if (number > this.#lastPage || this.#used[number] === 1) throw this.#damaged(number);
    this.#used[number] = 1;
  }

  #bytes(start: number, length: number): Buffer {
    if (start + length > this.#size) {
      throw this.#damage(`it has ${this.#size} bytes instead of at least ${start + length}: it was truncated`);
    }
    const at = Math.floor(start / CHUNK) * CHUNK;
    if (start + length > at + CHUNK) return this.#readAt(start, length);
    let chunk = this.#chunks.get(at);
    if (chunk === undefined) {
      chunk = this.#readAt(at, Math.min(CHUNK, this.#size - at));
      this.#chunks.set(at, chunk);
      if (this.#chunks.size > MAX_RETAINED_CHUNKS) this.#chunks.delete(this.#chunks.keys().next().value as number);
    }
    return chunk.subarray(start - at, start - at + length);
  }

  #readAt(start: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    if (readSync(this.#fd, bytes, 0, length, start) !== length) throw this.#damage('it could not be read completely');
    return bytes;
  }

  #count(value: bigint): number {
    if (value > 1n << 46n) throw this.#damage('a number in it is damaged');
    return Number(value);
  }

  #damaged(page: number): StoreError {
    return this.#damage(`page ${page} is damaged`);
  }

  #damage(what: string): StoreError {
    return new StoreError('Corrupt', `${this.#path} is damaged: ${what}`);
  }
}

function treeAt(bytes: Buffer, at: number): Tree {
  const count = (offset: number) => Number(bytes.readBigUInt64LE(at + offset));
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: count(8),
    leafPages: count(16),
    overflowPages: count(24),
    entries: count(32),
    root: bytes.readBigUInt64LE(at + 40) === NO_PAGE ? undefined : count(40),
  };
}

function compareIntegers(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) return 1;
  const [left, right] = [a.readBigUInt64LE(0), b.readBigUInt64LE(0)];
  return left < right ? -1 : left > right ? 1 : 0;
}
