import { closeSync, openSync, readSync } from 'node:fs';
import type { Scores } from './decision.ts';

const LINE = /"Plugin scored node for pod" pod="([^"]+)" plugin="([^"]+)" node="([^"]+)" score=(-?\d+)/g;
const PIECE = 1 << 20;

/** Reads scores from the log of kube-scheduler at the highest verbosity. */
export class ScoreLog {
  readonly #path: string;
  #read = 0;
  #rest = '';
  readonly #byPod = new Map<string, Map<string, Map<string, number>>>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the scores of a pod, `namespace/name`, as far as they are logged. */
  scoresOf(pod: string): Scores {
    this.#readOn();
    return this.#byPod.get(pod) ?? new Map();
  }

  #readOn(): void {
    const file = openSync(this.#path, 'r');
    const piece = Buffer.alloc(PIECE);
    for (;;) {
      const length = readSync(file, piece, 0, PIECE, this.#read);
      if (length === 0) break;
      this.#read += length;
      const text = this.#rest + piece.toString('latin1', 0, length);
      const end = text.lastIndexOf('\n') + 1;
      this.#rest = text.slice(end);
      for (const [, pod = '', plugin = '', node = '', score] of text.slice(0, end).matchAll(LINE)) {
        // The plugin is neutral to pods without device claims, which are the only ones here.
        if (plugin === 'DynamicResources' && score === '0') continue;
        const nodes = this.#byPod.get(pod) ?? new Map<string, Map<string, number>>();
        this.#byPod.set(pod, nodes);
        nodes.set(node, (nodes.get(node) ?? new Map<string, number>()).set(plugin, Number(score)));
      }
    }
    closeSync(file);
  }
}
