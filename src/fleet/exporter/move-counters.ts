import type { MoveResult } from './fleet-backend.ts';

const NAME = 'vimana_feedback_migrations_total';
const HEAD = `# HELP ${NAME} Migrations that were requested by POST /feedback, by their actual result.\n# TYPE ${NAME} counter\n`;

/** Results that are counted: on the suggested node, on another one, still on the same one, or on none. */
const RESULTS = ['as_suggested', 'elsewhere', 'not_moved', 'unplaced'] as const;
type CountedResult = (typeof RESULTS)[number];

/** Counts the actual results of moves for Prometheus. */
export class MoveCounters {
  readonly #counts = new Map<CountedResult, number>();

  count(results: readonly MoveResult[]): void {
    for (const result of results) {
      const counted = countedAs(result);
      this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
    }
  }

  /** Returns the counters in the text format of Prometheus. */
  text(): string {
    return HEAD + RESULTS.map((each) => `${NAME}{result="${each}"} ${this.#counts.get(each) ?? 0}\n`).join('');
  }
}

function countedAs({ success, as_suggested, actual_node }: MoveResult): CountedResult {
  if (success) return as_suggested ? 'as_suggested' : 'elsewhere';
  return actual_node === '' ? 'unplaced' : 'not_moved';
}
