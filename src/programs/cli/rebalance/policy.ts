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

const HEAD = `# For kube-descheduler 0.36 and later. It reads what the rules of "vimana rebalance rules" record.
# Run it with --feature-gates=EvictionsInBackground=true: a machine leaves by migration, after the eviction is answered.
# It speaks to Prometheus with the token of its ServiceAccount, and so only from within a pod.
`;

/** Builds `vimana rebalance policy`, which prints the equivalent policy for kube-descheduler. */
export function addPolicyCommand(parent: Command, { io }: RebalanceDeps): void {
  withLimitFlags(sub(parent, 'policy'))
    .description('print the policy by which kube-descheduler rebalances so')
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(windowOption())
    .addOption(
      new Option('--prometheus <url>', 'where Prometheus answers')
        .argParser(webAddress('http://prometheus:9090'))
        .default('http://prometheus:9090'),
    )
    .action(({ algorithm, mode, perNode, perStep, prometheus, window }: PolicyFlags) => {
      const limits = { perNode, perStep };
      io.out(`${HEAD}${stringify(deschedulerPolicy({ algorithm, mode, limits, prometheusUrl: prometheus, window }))}`);
    });
}
