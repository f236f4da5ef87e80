import { gramsOf } from './power-model.ts';
import { meanIntensity, type Slot, slotAt } from './slot.ts';

/** A machine that runs, as its emissions are counted. */
export interface Emitter {
  readonly namespace: string;
  readonly zone: string;
  readonly watts: number;
  /** Since when it runs. */
  readonly since: number;
  /** How it would have been without its wait for clean electricity. */
  readonly waited?: {
    readonly intensityWhenAsked: number;
    readonly ms: number;
    readonly startedAt: number;
  };
}

export interface Entry {
  readonly namespace: string;
  readonly zone: string;
  readonly grams: number;
}

/**
 * What machines have emitted since the ledger was opened, and what waiting has saved: for as long as a machine had
 * waited, its emissions are held against what the same work would have emitted at the time that it was asked for.
 * Sums are by namespace and grid zone, so that they outlive machines.
 */
export class CarbonLedger {
  readonly #emitted = new Map<string, Entry>();
  readonly #saved = new Map<string, Entry>();
  #upTo: number;

  constructor(now: number) {
    this.#upTo = now;
  }

  get emitted(): Iterable<Entry> {
    return this.#emitted.values();
  }

  get saved(): Iterable<Entry> {
    return this.#saved.values();
  }

  /** Counts on up to a time, with the machines that run then. Time that nobody knows the intensity of is not counted. */
  advance(now: number, emitters: Iterable<Emitter>, slotsOf: (zone: string) => readonly Slot[]): void {
    const before = this.#upTo;
    if (now <= before) return;
    this.#upTo = now;
    for (const emitter of emitters) {
      const slots = slotsOf(emitter.zone);
      this.#count(this.#emitted, emitter, gramsIn(slots, emitter.watts, Math.max(before, emitter.since), now));
      const { waited } = emitter;
      if (waited === undefined) continue;
      const [from, to] = [Math.max(before, waited.startedAt), Math.min(now, waited.startedAt + waited.ms)];
      const real = gramsIn(slots, emitter.watts, from, to);
      if (to <= from || real === undefined) continue;
      this.#count(this.#saved, emitter, gramsOf(emitter.watts, to - from, waited.intensityWhenAsked) - real);
    }
  }

  #count(entries: Map<string, Entry>, { namespace, zone }: Emitter, grams: number | undefined): void {
    if (grams === undefined) return;
    const key = `${namespace} ${zone}`;
    entries.set(key, { namespace, zone, grams: (entries.get(key)?.grams ?? 0) + grams });
  }
}

function gramsIn(slots: readonly Slot[], watts: number, from: number, to: number): number | undefined {
  if (to <= from) return undefined;
  const intensity = meanIntensity(slots, from, to) ?? slotAt(slots, to)?.intensity;
  return intensity === undefined ? undefined : gramsOf(watts, to - from, intensity);
}
