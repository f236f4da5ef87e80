import { type Dispatcher, request } from 'undici';
import { lines } from '#platform/kube/http/lines';
import type { DurableServer } from './durable-server.ts';
import { COLLECTION, type ConfigMap, versionOf } from './writer.ts';

export interface Change {
  readonly type: string;
  readonly object: ConfigMap;
}

/** Follows all changes over any number of servers; what it has seen is without gap, or `lost` says why not. */
export class Watcher {
  readonly seen: Change[] = [];
  /** The newest version that was seen, from which a new server is asked to go on. */
  version: number;
  /** How often a server no longer had the version that was asked for. */
  lost = 0;

  constructor(version: number) {
    this.version = version;
  }

  /** Reads until the server is gone, or `enough` says so. */
  async watch(server: DurableServer, dispatcher: Dispatcher, enough: (change: Change) => boolean): Promise<void> {
    try {
      const answer = await request(`${server.url}${COLLECTION}?watch=true&resourceVersion=${this.version}`, {
        dispatcher,
        headers: { authorization: `Bearer ${server.token}` },
      });
      for await (const line of lines(answer.body)) {
        const change = JSON.parse(line) as Change;
        if (change.type === 'ERROR') {
          this.lost++;
          return;
        }
        this.seen.push(change);
        this.version = versionOf(change.object);
        if (enough(change)) return;
      }
    } catch {
      // The server is gone.
    }
  }
}
