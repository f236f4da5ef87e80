import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { deschedulerPolicy } from '#fleet/rebalance/descheduler-policy';
import type { RebalanceDeps } from './command.ts';
import { webAddress } from './fetch-text.ts';
import { sub } from './load-flags.ts';
import { algorithmOption, type BoundFlags, type MethodFlags, modeOption, withLimitFlags } from './method-flags.ts';
import { windowOption } from './rules.ts';

interface PolicyFlags extends MethodFlags, Pick<BoundFlags, 'perNode' | 'perStep'> {
  readonly prometheus: string;
  readonly window: string;
}

const HEAD = `# For kube-descheduler 0.36 and later. It uses the metrics that "vimana rebalance rules" records.
# Run it with --feature-gates=EvictionsInBackground=true: a VM migrates after the eviction request is accepted.
# It authenticates to Prometheus with its ServiceAccount token, so it must run in a pod.
`;

/** Builds `vimana rebalance policy`, which prints the equivalent policy for kube-descheduler. */
export function addPolicyCommand(parent: Command, { io }: RebalanceDeps): void {
  withLimitFlags(sub(parent, 'policy'))
    .description('print a kube-descheduler policy that rebalances with this algorithm')
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(windowOption())
    .addOption(
      new Option('--prometheus <url>', 'address of Prometheus')
        .argParser(webAddress('http://prometheus:9090'))
        .default('http://prometheus:9090'),
    )
    .action(({ algorithm, mode, perNode, perStep, prometheus, window }: PolicyFlags) => {
      const limits = { perNode, perStep };
      io.out(`${HEAD}${stringify(deschedulerPolicy({ algorithm, mode, limits, prometheusUrl: prometheus, window }))}`);
    });
}
