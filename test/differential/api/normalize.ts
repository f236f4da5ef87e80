import type { Answer, Session } from './session.ts';

/**
 * Replaces what differs between any two servers. Identities become the number of their first occurrence, so that equal
 * objects and unchanged versions can still be recognized.
 */
export class Normaliser {
  readonly #session: Session;
  /** Versions and owners are no longer distinguished. */
  #loose = false;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #made = new Map<string, string>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** From now on, versions and owners are not compared. */
  loosen(): void {
    this.#loose = true;
  }

  answer({ status, type, warnings, body }: Answer): Answer {
    return { status, type, warnings: warnings.map((text) => this.#text(text)), body: this.#value(body, '') };
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#value(item, key));
      return key === 'managedFields' ? items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    // The number of the first occurrence must not depend on the order of fields.
    const entries = Object.entries(value as Record<string, unknown>).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const isList = key === 'metadata' && !('name' in value) && !('uid' in value);
    return Object.fromEntries(entries.map(([name, inner]) => [this.#text(name), this.#field(name, inner, isList)]));
  }

  #field(name: string, value: unknown, isList: boolean): unknown {
    if (this.#loose && name === 'managedFields') return '<owners>';
    if (this.#loose && name === 'resourceVersion') return '<version>';
    if (name === 'nodePort' && typeof value === 'number' && value >= 30_000) return '<port>';
    if (typeof value !== 'string') return this.#value(value, name);
    if (name === 'serverAddress') return '<address>';
    if (name === 'uid') return value === '' ? '' : numbered(this.#uids, value, 'uid');
    if (name === 'continue') return value === '' ? '' : '<continue>';
    if (name === 'resourceVersion')
      return isList || value === '' ? '<version>' : numbered(this.#versions, value, 'version');
    return this.#text(value);
  }

  #text(text: string): string {
    let plain = text
      .replaceAll(CLUSTER_IP, '<address>')
      .replaceAll(TIME, '<time>')
      .replaceAll(AGE, (whole) => (text === whole ? '<age>' : whole));
    for (const prefix of this.#session.prefixes) {
      if (!plain.includes(prefix)) continue;
      const made = new RegExp(`${RegExp.escape(prefix)}[bcdfghjklmnpqrstvwxz2456789]{5}\\b`, 'g');
      plain = plain.replaceAll(made, (name) => `${prefix}<${numbered(this.#made, name, 'made')}>`);
    }
    // A dry run reports keys without their root.
    plain = plain.replace('Key: /registry/', 'Key: /').replaceAll(VERSION, '$1(<version>)');
    return plain.replaceAll(UID, (uid) => `<${numbered(this.#uids, uid, 'uid')}>`);
  }
}

const TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** Service IP range. */
const CLUSTER_IP = /\b10\.96\.\d+\.\d+\b/g;
/** Parts of errors that contain versions. */
const VERSION = /(in the precondition |in record )\(\d+\)/g;
const AGE = /^\d{1,3}s$/g;
const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

function numbered(known: Map<string, string>, value: string, word: string): string {
  const found = known.get(value) ?? `${word} ${known.size + 1}`;
  known.set(value, found);
  return found;
}

/** Managers are sorted by time in seconds, which may differ between the servers. */
function order(entry: unknown): string {
  const { operation, manager, subresource, apiVersion } = entry as Record<string, string>;
  return JSON.stringify([operation, manager, subresource ?? '', apiVersion]);
}
