import { type Dispatcher, request } from 'undici';
import { lines } from '#platform/kube/http/lines';
import type { DurableServer } from './durable-server.ts';
import { COLLECTION, type ConfigMap, versionOf } from './writer.ts';

export interface Change {
  readonly type: string;
  readonly object: ConfigMap;
}

/** Watches all changes across server restarts. Its events have no gap, or `lost` gives the reason. */
export class Watcher {
  readonly seen: Change[] = [];
  /** Latest observed version, from which the next watch continues. */
  version: number;
  /** Number of times that a server no longer had the requested version. */
  lost = 0;

  constructor(version: number) {
    this.version = version;
  }

  /** Reads until the server is killed, or `enough` returns true. */
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
      // The server was killed.
    }
  }
}
