import type { LoopOutcome, LoopRun, LoopStep, MadeMove, NamedMove } from '#fleet/rebalance/rebalance-loop';
import type { Io } from '../io.ts';
import { formatCount } from './format-count.ts';
import { formatHindrances } from './format-hindrances.ts';
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
  unplaced: 'no node is overloaded, but VMs that left their node have none now',
};

const NO_NODES = 'no node is ready, so that nothing is known about the load';

interface ReportedStep {
  readonly over: number;
  readonly mean_score: number;
  readonly cpu_sigma: number;
  readonly memory_sigma: number;
  readonly left_out: object;
  readonly moves: readonly (NamedMove | MadeMove)[];
}

/** Reports a rebalance loop: to people while it runs, and to programs when it is finished. */
export class RunReport {
  readonly #io: Io;
  readonly #format: RunFormat;
  readonly #steps: ReportedStep[] = [];
  #hindrances = '';

  constructor(io: Io, format: RunFormat) {
    this.#io = io;
    this.#format = format;
  }

  decided(step: LoopStep): void {
    this.#say(`step ${step.number}: ${formatUtilization(step)}\n`);
    this.#sayHindrances(step);
    if (step.moves.length === 0) this.#steps.push(toReportedStep(step, []));
  }

  moved(step: LoopStep, made: readonly MadeMove[]): void {
    for (const move of made) this.#say(`  ${formatMove(move)}\n`);
    this.#steps.push(toReportedStep(step, made));
  }

  /** Reports the moves of a dry run. */
  planned(step: LoopStep): void {
    this.#say(`${formatUtilization(step)}\n`);
    this.#sayHindrances(step);
    for (const { vm_id, from_node, to_node } of step.moves) {
      this.#say(`  ${vm_id} would migrate from ${from_node} to ${to_node}\n`);
    }
    this.#steps.push(toReportedStep(step, step.moves));
    this.#print({ outcome: 'dry run' });
    if (step.nodes.length === 0) this.#io.err(`${NO_NODES}\n`);
    else if (step.verdict.over.length > 0 && step.moves.length === 0) this.#io.err(`${ENDS.stalled}\n`);
  }

  stopping(): void {
    this.#io.err('stopping after this step; press Ctrl-C again to stop now\n');
  }

  over(run: LoopRun): void {
    const { outcome, steps, moved, asSuggested, retained, unplaced, last } = run;
    const how = `${formatCount(steps, 'step')}, ${formatCount(moved, 'VM')} migrated, ${asSuggested} of them as suggested`;
    const back = retained.length === 0 ? '' : `; ${formatCount(retained.length, 'VM')} did not migrate`;
    const lost = unplaced.length === 0 ? '' : `; ${unplaced.join(', ')} without a node`;
    const why = last?.nodes.length === 0 ? NO_NODES : ENDS[outcome];
    this.#say(`${outcome}: ${why} (${how}${back}${lost})\n`);
    const overloaded = last?.verdict.over.map((node) => last.nodes[node]?.name ?? '') ?? [];
    this.#print({
      ...{ outcome, converged: outcome === 'converged', moved, as_suggested: asSuggested },
      ...{ kept: retained, unplaced, overloaded },
    });
  }

  /** Says what the plan has to leave out, whenever that changes. */
  #sayHindrances({ hindrances }: LoopStep): void {
    const text = formatHindrances(hindrances);
    if (text !== '' && text !== this.#hindrances) this.#say(`  left out: ${text}\n`);
    this.#hindrances = text;
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

function toReportedStep(
  { verdict, spread, hindrances }: LoopStep,
  moves: readonly (NamedMove | MadeMove)[],
): ReportedStep {
  const { cpu: cpu_sigma, memory: memory_sigma } = spread;
  const { notReady: not_ready, cordoned, cooldown, budget, retained } = hindrances;
  const left_out = { not_ready, cordoned, in_cooldown: cooldown, in_full_budget: budget, retained };
  return { over: verdict.over.length, mean_score: verdict.mean, cpu_sigma, memory_sigma, left_out, moves };
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
  return as_suggested ? way : `${way}: the scheduler chose ${actual_node}`;
}
