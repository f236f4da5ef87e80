import { GenerationalCache } from '#platform/base/generational-cache';
import { timestamp } from '#platform/base/timestamp';
import type { Event, ObjectReference } from '#platform/kube/kinds/event';
import type { EventType } from './event-recorder.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

/** Event as recorded, before correlation. */
export interface EventDraft {
  readonly about: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** Time of day. */
  readonly at: number;
}

export interface EventWrite {
  readonly event: Event;
  /** The Event should already exist, and only its count, time and message change. */
  readonly repeated: boolean;
}

export interface CorrelatorOptions {
  readonly component: string;
  /** Generates the name of a new Event about an object of this name. */
  readonly nameFor: (object: string, at: number) => string;
  /** Rate limit per object. Defaults to that of client-go. */
  readonly rate?: Rate;
}

interface WrittenEvent {
  readonly name: string;
  readonly first: string;
  count: number;
}

interface ObjectMemory {
  readonly bucket: TokenBucket;
  /** Recent messages and the time of the last one, by type and reason. */
  readonly messages: GenerationalCache<string, { texts: Set<string>; last: number }>;
  /** Written Events by type, reason and message. Aggregated Events have no message in their key. */
  readonly written: GenerationalCache<string, WrittenEvent>;
}

const RATE: Rate = { burst: 25, everyMs: 300_000 };
/** Number of messages of one reason from which all further ones go into one Event. */
const SIMILAR = 10;
const SIMILAR_FOR_MS = 600_000;
const OBJECTS = 4096;
const PER_OBJECT = 64;
const MAX_MESSAGE_LENGTH = 1024;

/**
 * Turns drafts into Events like client-go: repetitions are counted, many messages of one reason become one Event, and
 * an object with too many Events is rate limited.
 */
export class Correlator {
  readonly #options: CorrelatorOptions;
  readonly #objects = new GenerationalCache<string, ObjectMemory>({ maxEntries: OBJECTS });

  constructor(options: CorrelatorOptions) {
    this.#options = options;
  }

  /** Returns the Event to write, or undefined if the object is rate limited. `now` never goes back. */
  correlate(said: EventDraft, now: number): EventWrite | undefined {
    const { about, type, reason, at } = said;
    const { rate = RATE, nameFor } = this.#options;
    const memory = this.#objects.getOrCreate(identity(about), () => ({
      bucket: new TokenBucket(rate, now),
      messages: new GenerationalCache({ maxEntries: PER_OBJECT }),
      written: new GenerationalCache({ maxEntries: PER_OBJECT }),
    }));
    const kind = `${type}/${reason}`;
    const one = isOneOfMany(memory, kind, said.message, now);
    const message = truncateMessage(one ? `(combined from similar events): ${said.message}` : said.message);
    const written = memory.written.getOrCreate(one ? kind : `${kind}/${said.message}`, () => ({
      name: nameFor(about.name ?? '', at),
      first: timestamp(at),
      count: 0,
    }));
    written.count++;
    // The draft is counted even if it is not written, so that the next written Event has the whole count.
    if (!memory.bucket.take(now)) return undefined;
    return { repeated: written.count > 1, event: this.#event(said, message, written) };
  }

  #event({ about, type, reason, at }: EventDraft, message: string, { name, first, count }: WrittenEvent): Event {
    const { component } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: about.namespace ?? 'default' },
      involvedObject: about,
      reason,
      message,
      type,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      eventTime: null,
      firstTimestamp: first,
      lastTimestamp: count === 1 ? first : timestamp(at),
      count,
    };
  }
}

/** Reports whether too many other messages of this reason came recently. */
function isOneOfMany(memory: ObjectMemory, kind: string, message: string, now: number): boolean {
  const similar = memory.messages.getOrCreate(kind, () => ({ texts: new Set(), last: now }));
  if (now - similar.last > SIMILAR_FOR_MS) similar.texts.clear();
  similar.last = now;
  if (similar.texts.has(message)) return false;
  if (similar.texts.size >= SIMILAR - 1) return true;
  similar.texts.add(message);
  return false;
}

const identity = ({ uid, kind, namespace, name }: ObjectReference): string =>
  uid === undefined || uid === '' ? `${kind}/${namespace}/${name}` : `${kind}/${uid}`;

/** Truncates a message to the maximum that Kubernetes accepts in the newer kind of Event. */
function truncateMessage(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH - 4)} ...`;
}
