import type { Entry } from './store.ts';
import { live, type Version } from './version.ts';

/**
 * Maximum size of a chunk: small enough that an insertion is cheap, large enough that a million keys need only a few
 * thousand.
 */
const CHUNK_LIMIT = 128;

interface Slot {
  readonly key: string;
  head: Version;
  chunk: Chunk;
}

/** Holds a run of adjacent keys. `alive` and `changed` let a whole chunk be counted without visiting it. */
interface Chunk {
  slots: Slot[];
  alive: number;
  changed: number;
}

/** Holds the newest version of every key: by key, and in key order as a list of short sorted chunks. */
export class KeyIndex {
  readonly #slots = new Map<string, Slot>();
  readonly #chunks: Chunk[] = [];

  head(key: string): Version | undefined {
    return this.#slots.get(key)?.head;
  }

  /** Sets the newest version of a key. Returns the previous one. */
  set(version: Version): Version | undefined {
    const slot = this.#slots.get(version.key);
    const older = slot?.head;
    if (slot !== undefined) slot.head = version;
    const { chunk } = slot ?? this.#insert(version);
    chunk.alive += (version.value === undefined ? 0 : 1) - (older?.value === undefined ? 0 : 1);
    chunk.changed = version.revision;
    return older;
  }

  /** Removes a key whose newest version is a deletion that no readable revision precedes. */
  remove(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#slots.delete(key);
    const { chunk } = slot;
    chunk.slots.splice(lowerBound(chunk.slots, key), 1);
    if (chunk.slots.length === 0) this.#chunks.splice(this.#chunks.indexOf(chunk), 1);
  }

  /** Returns the entries below a prefix as of a revision, and how many follow them. */
  scan(prefix: string, after: string | undefined, limit: number, revision: number) {
    const entries: Entry[] = [];
    let remaining = 0;
    const resume = after !== undefined && after >= prefix;
    const start = resume ? `${after}\0` : prefix;
    let at = this.#chunkOf(start);
    let from = at < this.#chunks.length ? lowerBound(this.#chunks[at]!.slots, start) : 0;
    for (; at < this.#chunks.length; at++, from = 0) {
      const chunk = this.#chunks[at]!;
      const { slots } = chunk;
      const whole = slots[slots.length - 1]!.key.startsWith(prefix);
      if (whole && from === 0 && entries.length >= limit && chunk.changed <= revision) {
        remaining += chunk.alive;
        continue;
      }
      for (let i = from; i < slots.length; i++) {
        const slot = slots[i]!;
        if (!whole && !slot.key.startsWith(prefix)) return { entries, remaining };
        const entry = live(slot.head.at(revision));
        if (entry === undefined) continue;
        if (entries.length < limit) entries.push(entry);
        else remaining++;
      }
    }
    return { entries, remaining };
  }

  #insert(version: Version): Slot {
    const chunk = this.#chunkFor(version.key);
    const slot: Slot = { key: version.key, head: version, chunk };
    chunk.slots.splice(lowerBound(chunk.slots, version.key), 0, slot);
    this.#slots.set(version.key, slot);
    return slot;
  }

  /** Returns the chunk with room for a new key. */
  #chunkFor(key: string): Chunk {
    if (this.#chunks.length === 0) {
      const first: Chunk = { slots: [], alive: 0, changed: 0 };
      this.#chunks.push(first);
      return first;
    }
    const at = Math.min(this.#chunkOf(key), this.#chunks.length - 1);
    const chunk = this.#chunks[at]!;
    return chunk.slots.length < CHUNK_LIMIT ? chunk : this.#split(at, key);
  }

  /** Splits a full chunk in half and returns the half where the key belongs. */
  #split(at: number, key: string): Chunk {
    const left = this.#chunks[at]!;
    const right: Chunk = { slots: left.slots.splice(left.slots.length >> 1), alive: 0, changed: left.changed };
    for (const slot of right.slots) {
      slot.chunk = right;
      if (slot.head.value !== undefined) right.alive++;
    }
    left.alive -= right.alive;
    this.#chunks.splice(at + 1, 0, right);
    return key < right.slots[0]!.key ? left : right;
  }

  /** Returns the first chunk whose last key is not before the key; the number of chunks if there is none. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { slots } = this.#chunks[middle]!;
      if (slots[slots.length - 1]!.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns the first index whose key is not before the given one. */
function lowerBound(slots: readonly Slot[], key: string): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (slots[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
