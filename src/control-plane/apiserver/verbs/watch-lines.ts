import type { WatchItem } from './watch-item.ts';

/**
 * Maximum number of lines to cache, for changes that are being sent to watchers at the same time, and their maximum
 * size.
 */
const MAX_LINES = 32;
const MAX_LENGTH = 16 * 1024 * 1024;

interface Line extends Pick<WatchItem, 'type' | 'text'> {
  readonly line: string;
}

/**
 * Formats events as lines of JSON. Watchers request the same few lines, some later than others, so the newest are
 * cached: formatting one for each watcher would copy the text of the object each time.
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
