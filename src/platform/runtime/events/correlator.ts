import { timestamp } from '#platform/base/timestamp';
import type { Event, ObjectReference } from '#platform/kube/kinds/event';
import type { EventType } from './event-recorder.ts';
import { RecentMap } from './recent-map.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

/** What somebody said of an object. */
export interface EventDraft {
  readonly about: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** The time of day. */
  readonly at: number;
}

export interface EventWrite {
  readonly event: Event;
  /** Said before: the Event should be there already, and only its count, time and message change. */
  readonly repeated: boolean;
}

export interface CorrelatorOptions {
  readonly component: string;
  /** A name for a new Event about an object of this name. */
  readonly nameFor: (object: string, at: number) => string;
  /** For each object; as client-go has it where absent. */
  readonly rate?: Rate;
}

interface WrittenEvent {
  readonly name: string;
  readonly first: string;
  count: number;
}

interface ObjectMemory {
  readonly bucket: TokenBucket;
  /** By type and reason: the messages of late, and when the last came. */
  readonly messages: RecentMap<{ texts: Set<string>; last: number }>;
  /** By type, reason and message; without the message for those that stand for many. */
  readonly written: RecentMap<WrittenEvent>;
}

const RATE: Rate = { burst: 25, everyMs: 300_000 };
/** From so many messages of one reason on, all further ones go into one Event. */
const SIMILAR = 10;
const SIMILAR_FOR_MS = 600_000;
const OBJECTS = 4096;
const PER_OBJECT = 64;
const MAX_MESSAGE_LENGTH = 1024;

/**
 * Makes Events of what is said, as client-go does: what was said before is counted, many messages of one reason become
 * one Event, and an object that is talked about too much is passed over.
 */
export class Correlator {
  readonly #options: CorrelatorOptions;
  readonly #objects = new RecentMap<ObjectMemory>(OBJECTS);

  constructor(options: CorrelatorOptions) {
    this.#options = options;
  }

  /** What to write, or undefined where the object was talked about too much; `now` never goes back. */
  correlate(said: EventDraft, now: number): EventWrite | undefined {
    const { about, type, reason, at } = said;
    const { rate = RATE, nameFor } = this.#options;
    const memory = this.#objects.use(identity(about), () => ({
      bucket: new TokenBucket(rate, now),
      messages: new RecentMap(PER_OBJECT),
      written: new RecentMap(PER_OBJECT),
    }));
    const kind = `${type}/${reason}`;
    const one = isOneOfMany(memory, kind, said.message, now);
    const message = truncateMessage(one ? `(combined from similar events): ${said.message}` : said.message);
    const written = memory.written.use(one ? kind : `${kind}/${said.message}`, () => ({
      name: nameFor(about.name ?? '', at),
      first: timestamp(at),
      count: 0,
    }));
    written.count++;
    // Counted even where it is not written, so that the next that is written tells the whole number.
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

/** Whether too many other messages of this reason came of late. */
function isOneOfMany(memory: ObjectMemory, kind: string, message: string, now: number): boolean {
  const similar = memory.messages.use(kind, () => ({ texts: new Set(), last: now }));
  if (now - similar.last > SIMILAR_FOR_MS) similar.texts.clear();
  similar.last = now;
  if (similar.texts.has(message)) return false;
  if (similar.texts.size >= SIMILAR - 1) return true;
  similar.texts.add(message);
  return false;
}

const identity = ({ uid, kind, namespace, name }: ObjectReference): string =>
  uid === undefined || uid === '' ? `${kind}/${namespace}/${name}` : `${kind}/${uid}`;

/** Kubernetes takes no longer message in an Event of its newer kind. */
function truncateMessage(message: string): string {
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH - 4)} ...`;
}
