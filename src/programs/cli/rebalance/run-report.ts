import type { LoopOutcome, LoopRun, LoopStep, MadeMove, NamedMove } from '#fleet/rebalance/rebalance-loop';
import type { Io } from '../io.ts';
import { formatRows, type Row } from './rows.ts';

export const RUN_FORMATS = ['text', 'csv', 'json'] as const;
export type RunFormat = (typeof RUN_FORMATS)[number];

const COLUMNS = ['step', 'vm_id', 'from_node', 'to_node', 'actual_node', 'success', 'as_suggested', 'error'];
const NAMED = 3;

const ENDS: Readonly<Record<LoopOutcome, string>> = {
  converged: 'no node is overloaded',
  stalled: 'nodes are overloaded, and no possible migration would help',
  capped: 'nodes are still overloaded after the maximum number of steps',
  interrupted: 'stopped before the nodes were balanced',
};

interface ReportedStep {
  readonly over: number;
  readonly mean_score: number;
  readonly cpu_sigma: number;
  readonly memory_sigma: number;
  readonly moves: readonly (NamedMove | MadeMove)[];
}

/** Reports a rebalance loop: to people while it runs, and to programs when it is finished. */
export class RunReport {
  readonly #io: Io;
  readonly #format: RunFormat;
  readonly #steps: ReportedStep[] = [];

  constructor(io: Io, format: RunFormat) {
    this.#io = io;
    this.#format = format;
  }

  decided(step: LoopStep): void {
    this.#say(`step ${step.number}: ${formatUtilization(step)}\n`);
    if (step.moves.length === 0) this.#steps.push(toReportedStep(step, []));
  }

  moved(step: LoopStep, made: readonly MadeMove[]): void {
    for (const move of made) this.#say(`  ${formatMove(move)}\n`);
    this.#steps.push(toReportedStep(step, made));
  }

  /** Reports the moves of a dry run. */
  planned(step: LoopStep): void {
    this.#say(`${formatUtilization(step)}\n`);
    for (const { vm_id, from_node, to_node } of step.moves) {
      this.#say(`  ${vm_id} would migrate from ${from_node} to ${to_node}\n`);
    }
    this.#steps.push(toReportedStep(step, step.moves));
    this.#print({ outcome: 'dry run' });
    if (step.verdict.over.length > 0 && step.moves.length === 0) this.#io.err(`${ENDS.stalled}\n`);
  }

  stopping(): void {
    this.#io.err('stopping after this step; press Ctrl-C again to stop now\n');
  }

  over({ outcome, steps, moved, asSuggested, retained }: LoopRun): void {
    const how = `${formatCount(steps, 'step')}, ${formatCount(moved, 'VM')} migrated, ${asSuggested} of them as suggested`;
    const back = retained.length === 0 ? '' : `; ${formatCount(retained.length, 'VM')} did not leave their node`;
    this.#say(`${outcome}: ${ENDS[outcome]} (${how}${back})\n`);
    this.#print({ outcome, moved, as_suggested: asSuggested, kept: retained });
  }

  #say(text: string): void {
    if (this.#format === 'text') this.#io.out(text);
  }

  #print(result: object): void {
    if (this.#format === 'json') this.#io.out(`${JSON.stringify({ ...result, steps: this.#steps }, undefined, 2)}\n`);
    if (this.#format !== 'csv') return;
    const rows = this.#steps.flatMap(({ moves }, at) =>
      moves.map((move): Row => {
        const cells = Object.entries({ step: at + 1, ...move }).map(([name, value]) => [name, value ?? '']);
        return Object.fromEntries(cells) as Row;
      }),
    );
    this.#io.out(formatRows(rows, COLUMNS, 'csv'));
  }
}

function toReportedStep({ verdict, spread }: LoopStep, moves: readonly (NamedMove | MadeMove)[]): ReportedStep {
  const { cpu: cpu_sigma, memory: memory_sigma } = spread;
  return { over: verdict.over.length, mean_score: verdict.mean, cpu_sigma, memory_sigma, moves };
}

/** Formats the utilization of the nodes, and names the worst of them. */
function formatUtilization({ nodes, verdict, spread }: LoopStep): string {
  const worst = verdict.over
    .slice(0, NAMED)
    .map((node) => `${nodes[node]?.name} ${(verdict.scores[node] ?? 0).toFixed(2)}`);
  const named = worst.length === 0 ? '' : ` (${worst.join(', ')}${verdict.over.length > NAMED ? ', ...' : ''})`;
  const even = `mean score ${verdict.mean.toFixed(2)}, CPU sigma ${spread.cpu.toFixed(3)}, memory sigma ${spread.memory.toFixed(3)}`;
  return `${verdict.over.length} of ${nodes.length} nodes are overloaded${named}; ${even}`;
}

function formatMove({ vm_id, from_node, to_node, actual_node, success, as_suggested, error }: MadeMove): string {
  const way = `${vm_id} from ${from_node} to ${to_node}`;
  if (!success) return `${way}: ${error ?? 'not migrated'}`;
  if (as_suggested) return way;
  return actual_node === from_node
    ? `${way}: the scheduler chose the same node again`
    : `${way}: the scheduler chose ${actual_node}`;
}

const formatCount = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
