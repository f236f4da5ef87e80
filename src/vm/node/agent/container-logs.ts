import type { Clock } from '#platform/base/clock';
import type { ContainerLog, LogLine, LogRequest } from '#platform/kube/node-runtime';

/** Maximum number of lines retained per container. Older lines are dropped. */
const MAX_LINES = 500;

interface ContainerLines {
  lines: LogLine[];
  /** Lines of the previous run. */
  previous: LogLine[] | undefined;
  ended: boolean;
  readers: Set<() => void> | undefined;
}

/** Event in the log of a container, or of all containers of a pod. */
export type LogEntry =
  | readonly [did: 'wrote', podUid: string, container: string, time: number, text: string]
  | readonly [did: 'ended' | 'restarted', podUid: string, container: string]
  | readonly [did: 'forgot', podUid: string];

/** Persists the entries of container logs beyond the process. */
export interface LogStore {
  /** Returns the stored entries. `all` later returns every entry that a rewrite of the store must contain. */
  open(all: () => Iterable<LogEntry>): readonly LogEntry[];
  note(entry: LogEntry): void;
  flush(): void;
}

/** Holds the output of containers in memory by pod and container, and earlier output if a store persists it. */
export class ContainerLogs {
  readonly #clock: Clock;
  readonly #keeper: LogStore | undefined;
  readonly #pods = new Map<string, Map<string, ContainerLines>>();

  constructor(clock: Clock, keeper?: LogStore) {
    this.#clock = clock;
    this.#keeper = keeper;
    for (const entry of keeper?.open(() => this.#entries()) ?? []) this.#apply(entry);
  }

  write(podUid: string, container: string, text: string): void {
    this.#do(['wrote', podUid, container, this.#clock.now(), text]);
  }

  /** Marks a container as ended, with no more output to come. */
  end(podUid: string, container: string): void {
    if (this.#pods.get(podUid)?.get(container)?.ended === false) this.#do(['ended', podUid, container]);
  }

  /** Begins a new run of the container. */
  restart(podUid: string, container: string): void {
    this.#do(['restarted', podUid, container]);
  }

  forget(podUid: string): void {
    if (this.#pods.has(podUid)) this.#do(['forgot', podUid]);
  }

  /** Forgets all pods but these. The others were deleted while no node agent was watching. */
  retain(podUids: ReadonlySet<string>): void {
    for (const podUid of [...this.#pods.keys()]) if (!podUids.has(podUid)) this.forget(podUid);
  }

  /** Flushes pending entries to the store. */
  close(): void {
    this.#keeper?.flush();
  }

  read({ pod, container, previous, follow, signal }: LogRequest): ContainerLog | undefined {
    const book = this.#pods.get(pod.metadata.uid ?? '')?.get(container);
    if (book === undefined) return undefined;
    if (previous) return book.previous === undefined ? undefined : { lines: [...book.previous] };
    const lines = [...book.lines];
    return follow && !book.ended ? { lines, following: following(book, lines.at(-1), signal) } : { lines };
  }

  #do(entry: LogEntry): void {
    this.#apply(entry);
    this.#keeper?.note(entry);
  }

  #apply(entry: LogEntry): void {
    const [did, podUid, container = ''] = entry;
    if (did === 'forgot') {
      for (const book of this.#pods.get(podUid)?.values() ?? []) {
        book.ended = true;
        wake(book);
      }
      this.#pods.delete(podUid);
      return;
    }
    const book = this.#book(podUid, container);
    if (did === 'wrote') {
      const [, , , time, text] = entry;
      book.lines.push({ time, text });
      if (book.lines.length > MAX_LINES) book.lines.splice(0, book.lines.length - MAX_LINES);
    } else if (did === 'restarted') {
      book.previous = book.lines;
      book.lines = [];
      book.ended = false;
    } else {
      book.ended = true;
    }
    wake(book);
  }

  *#entries(): Generator<LogEntry> {
    for (const [podUid, books] of this.#pods) {
      for (const [container, { lines, previous, ended }] of books) {
        for (const { time, text } of previous ?? []) yield ['wrote', podUid, container, time, text];
        if (previous !== undefined) yield ['restarted', podUid, container];
        for (const { time, text } of lines) yield ['wrote', podUid, container, time, text];
        if (ended) yield ['ended', podUid, container];
      }
    }
  }

  #book(podUid: string, container: string): ContainerLines {
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

function wake({ readers }: ContainerLines): void {
  for (const reader of readers ?? []) reader();
}

/** Yields the lines after one that was read, until the container ends or the reader stops. */
async function* following(
  book: ContainerLines,
  last: LogLine | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  let read = last;
  // A restart of the container begins a new list, in which all lines are new.
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

async function nextLine(book: ContainerLines, signal: AbortSignal): Promise<void> {
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
