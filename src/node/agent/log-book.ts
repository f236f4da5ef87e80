import type { Clock } from '../../base/clock.ts';
import type { ContainerLog, LogLine, LogRequest } from '../../kube/node-runtime.ts';

/** Lines kept of a container; older ones are dropped. */
const MOST = 500;

interface Book {
  lines: LogLine[];
  /** Of the run before the present one. */
  previous: LogLine[] | undefined;
  ended: boolean;
  readers: Set<() => void> | undefined;
}

/** What containers have said, in memory, by pod and container. */
export class LogBook {
  readonly #clock: Clock;
  readonly #pods = new Map<string, Map<string, Book>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  write(podUid: string, container: string, text: string): void {
    const book = this.#book(podUid, container);
    book.lines.push({ time: this.#clock.now(), text });
    if (book.lines.length > MOST) book.lines.splice(0, book.lines.length - MOST);
    wake(book);
  }

  /** The container has ended, and nothing more will come. */
  end(podUid: string, container: string): void {
    const book = this.#pods.get(podUid)?.get(container);
    if (book === undefined) return;
    book.ended = true;
    wake(book);
  }

  /** The container begins anew. */
  restart(podUid: string, container: string): void {
    const book = this.#book(podUid, container);
    book.previous = book.lines;
    book.lines = [];
    book.ended = false;
  }

  forget(podUid: string): void {
    for (const book of this.#pods.get(podUid)?.values() ?? []) {
      book.ended = true;
      wake(book);
    }
    this.#pods.delete(podUid);
  }

  read({ pod, container, previous, follow, signal }: LogRequest): ContainerLog | undefined {
    const book = this.#pods.get(pod.metadata.uid ?? '')?.get(container);
    if (book === undefined) return undefined;
    if (previous) return book.previous === undefined ? undefined : { lines: [...book.previous] };
    const lines = [...book.lines];
    return follow && !book.ended ? { lines, following: following(book, lines.at(-1), signal) } : { lines };
  }

  #book(podUid: string, container: string): Book {
    let books = this.#pods.get(podUid);
    if (books === undefined) {
      books = new Map();
      this.#pods.set(podUid, books);
    }
    let book = books.get(container);
    if (book === undefined) {
      book = { lines: [], previous: undefined, ended: false, readers: undefined };
      books.set(container, book);
    }
    return book;
  }
}

function wake({ readers }: Book): void {
  for (const reader of readers ?? []) reader();
}

/** Lines after one that was read, as they come, until the container ends or nobody reads any more. */
async function* following(book: Book, last: LogLine | undefined, signal: AbortSignal): AsyncGenerator<LogLine> {
  let read = last;
  // Whoever restarts a container begins a new list, in which all lines are new.
  let { lines } = book;
  while (!signal.aborted) {
    if (lines !== book.lines) ({ lines } = book);
    const from = read === undefined ? 0 : lines.lastIndexOf(read) + 1;
    for (const line of lines.slice(from)) {
      read = line;
      yield line;
    }
    if (book.ended) return;
    if (lines.at(-1) === read || (read === undefined && lines.length === 0)) await nextLine(book, signal);
  }
}

async function nextLine(book: Book, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      book.readers?.delete(done);
      resolve();
    };
    (book.readers ??= new Set()).add(done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
