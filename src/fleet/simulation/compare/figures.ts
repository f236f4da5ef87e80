import type { RunSummary } from '../report/summary.ts';

/** Figure by which methods are compared. */
export interface ComparedFigure {
  readonly name: string;
  readonly of: (summary: RunSummary) => number;
}

export const FIGURES: readonly ComparedFigure[] = [
  { name: 'cpu_sigma_mean', of: ({ load }) => load.cpu_sigma_mean },
  { name: 'cpu_max', of: ({ load }) => load.cpu_max },
  { name: 'node_cpu_p95', of: ({ load }) => load.node_cpu.p95 },
  { name: 'node_cpu_p99', of: ({ load }) => load.node_cpu.p99 },
  { name: 'memory_sigma_mean', of: ({ load }) => load.memory_sigma_mean },
  { name: 'migrations', of: ({ migrations }) => migrations.completed },
  { name: 'migrations_failed', of: ({ migrations }) => migrations.failed },
  { name: 'oscillation_returns', of: ({ oscillation }) => oscillation.returns },
  { name: 'slo_cpu_vm_seconds', of: ({ slo_violations }) => slo_violations.cpu.vm_seconds },
  { name: 'slo_memory_vm_seconds', of: ({ slo_violations }) => slo_violations.memory.vm_seconds },
  { name: 'slo_placement_vm_seconds', of: ({ slo_violations }) => slo_violations.placement.vm_seconds },
  { name: 'down_seconds', of: ({ availability }) => availability.down_seconds },
  { name: 'availability', of: ({ availability }) => availability.ratio },
];
