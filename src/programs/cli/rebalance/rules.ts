import { type Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import { recordingRules } from '#fleet/rebalance/recording-rules';
import type { RebalanceDeps } from './command.ts';
import { integerBetween, sub } from './load-flags.ts';

interface RulesFlags {
  readonly window: string;
  readonly interval: string;
  readonly paretoNodes: number;
  readonly output: 'rules' | 'prometheusrule';
}

/** Builds `vimana rebalance rules`, which prints the scores as recording rules over the metrics of the exporter. */
export function addRulesCommand(parent: Command, { io }: RebalanceDeps): void {
  sub(parent, 'rules')
    .description('print Prometheus recording rules that score nodes with every algorithm')
    .addOption(windowOption())
    .option('--interval <duration>', 'evaluation interval', prometheusDuration, '30s')
    .option(
      '--pareto-nodes <count>',
      'maximum nodes for the Pareto front rules, which have no result for more nodes',
      integerBetween(1, 256),
      16,
    )
    .addOption(
      new Option('-o, --output <format>', 'output format: a rule file, or an object for the Prometheus operator')
        .choices(['rules', 'prometheusrule'])
        .default('rules'),
    )
    .action(({ window, interval, paretoNodes, output }: RulesFlags) => {
      const rules = recordingRules({ window, paretoNodes });
      const groups = [{ name: 'vimana-rebalance', interval, rules }];
      const metadata = { name: 'vimana-rebalance' };
      const whole =
        output === 'rules'
          ? { groups }
          : { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata, spec: { groups } };
      io.out(stringify(whole, { lineWidth: 0 }));
    });
}

/** Returns the flag for the averaging window of metrics, which is part of the names of the rules. */
export const windowOption = () =>
  new Option('--window <duration>', 'window over which metrics are averaged')
    .argParser(prometheusDuration)
    .default('1m');

function prometheusDuration(text: string): string {
  if (/^[1-9]\d{0,5}(?:ms|s|m|h|d)$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a number with ms, s, m, h or d, such as 1m.');
}
