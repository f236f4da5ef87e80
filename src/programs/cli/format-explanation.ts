import type { Explanation, NodeExplanation } from '#platform/kube/kinds/pod-explanation';
import { formatTable } from './format-table.ts';

/** Maximum number of nodes printed per category. */
const MAX_NODES = 20;

/** Formats an attempt for people: the chosen node, the scores of each node, and why other nodes were filtered out. */
export function formatExplanation(attempt: Explanation): string {
  const { namespace, name, scheduler, time, node, message, nominatedNode, nodesInCluster } = attempt;
  const suited = attempt.nodes.filter(({ suits }) => suits);
  const rejected = attempt.nodes.filter(({ suits }) => !suits);
  const where = node === undefined ? `not placed: ${message ?? 'unknown reason'}` : `placed on ${node}`;
  return [
    `pod ${namespace}/${name}, attempt ${attempt.attempt} of ${scheduler} at ${time}`,
    where,
    ...(nominatedNode === undefined ? [] : [`preempting pods on ${nominatedNode} for it`]),
    `${attempt.nodes.length} of ${nodesInCluster} nodes evaluated, ${suited.length} feasible`,
    '',
    ...(suited.length === 0 ? [] : [formatScores(suited)]),
    ...(rejected.length === 0 ? [] : [formatRefusals(rejected)]),
  ].join('\n');
}

/** Formats the raw score of each plugin, and its contribution to the total. */
function formatScores(nodes: readonly NodeExplanation[]): string {
  const plugins = [...new Set(nodes.flatMap(({ scores }) => Object.keys(scores ?? {})))];
  const rows = nodes.slice(0, MAX_NODES).map(({ name, total, scores }) => [
    name,
    total === undefined ? '-' : String(total),
    ...plugins.map((plugin) => {
      const score = scores?.[plugin];
      return score === undefined ? '-' : `${score.weighted} (${score.raw})`;
    }),
  ]);
  const only = plugins.length === 0 ? 'The only feasible node is not scored.\n' : '';
  return `${formatTable(['NODE', 'TOTAL', ...plugins], rows)}${more(nodes.length)}${only}`;
}

function formatRefusals(nodes: readonly NodeExplanation[]): string {
  const rows = nodes
    .slice(0, MAX_NODES)
    .map(({ name, refusedBy = '', reasons = [] }) => [name, refusedBy, reasons.join('; ')]);
  return `${formatTable(['NODE', 'REJECTED BY', 'REASON'], rows)}${more(nodes.length)}`;
}

const more = (count: number) => (count > MAX_NODES ? `... and ${count - MAX_NODES} more (-o json shows all)\n` : '');
