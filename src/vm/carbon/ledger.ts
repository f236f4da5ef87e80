import { gramsOf } from './power-model.ts';
import { meanIntensity, type Slot, slotAt } from './slot.ts';

/** Running VM whose emissions are counted. */
export interface Emitter {
  readonly namespace: string;
  readonly zone: string;
  readonly watts: number;
  /** Time since which it runs. */
  readonly since: number;
  /** Conditions that it would have had without its wait for clean electricity. */
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
 * Sums the emissions of VMs and the savings by waiting, by namespace and grid zone, so that they outlive VMs. For as
 * long as a VM had waited, its emissions are compared to those of the same work at the time of the request.
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

  /** Counts emissions up to a time for the VMs that run then. Time without a known intensity is not counted. */
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
