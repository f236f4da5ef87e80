import type { WatchItem } from './watch-item.ts';

/** Changes that are under way to watchers at the same time, and how much of them is worth keeping. */
const MAX_LINES = 32;
const MAX_LENGTH = 16 * 1024 * 1024;

interface Line extends Pick<WatchItem, 'type' | 'text'> {
  readonly line: string;
}

/**
 * Events as lines of JSON. Watchers ask for the same few lines, some of them behind others, so that the newest are kept:
 * making one anew for each watcher would copy the text of the object each time.
 */
export class WatchLines {
  readonly #newest: Line[] = [];
  #length = 0;

  of({ type, text }: Pick<WatchItem, 'type' | 'text'>): string {
    const known = this.#newest.find((line) => line.text === text && line.type === type);
    if (known !== undefined) return known.line;
    const line = `{"type":"${type}","object":${text}}\n`;
    this.#newest.unshift({ type, text, line });
    this.#length += line.length;
    while (this.#newest.length > 1 && (this.#newest.length > MAX_LINES || this.#length > MAX_LENGTH)) {
      this.#length -= this.#newest.pop()?.line.length ?? 0;
    }
    return line;
  }
}
