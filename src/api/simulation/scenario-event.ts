import type { CelRule } from '#platform/schema/json-schema';
import { choice, duration, integer, list, number, object, required } from '#platform/schema/schema';
import { metric } from './hot-spot.ts';
import { objectName, partName } from './names.ts';

/** Fields of each action. A field that is neither required nor allowed is rejected, never ignored. */
const ACTIONS = {
  create: { needs: ['pool', 'count'], allows: [] },
  delete: { needs: ['pool'], allows: ['count'] },
  scale: { needs: ['pool', 'count'], allows: [] },
  setUtilization: { needs: [], allows: ['pool', 'vm', 'profile', 'cpu', 'memory'] },
  addNodes: { needs: ['nodeGroup', 'count'], allows: [] },
  removeNodes: { needs: [], allows: ['nodes', 'hotSpot'] },
  failNodes: { needs: [], allows: ['nodes', 'hotSpot'] },
  recoverNodes: { needs: ['nodes'], allows: [] },
  migrate: { needs: [], allows: ['pool', 'vm', 'count', 'targetNode'] },
  pause: { needs: [], allows: [] },
} as const;
type Action = keyof typeof ACTIONS;
const names = Object.keys(ACTIONS) as Action[];

const actionFields = {
  action: required(
    choice(
      'What happens: machines of a pool are created, deleted or scaled to a number; machines get busier or idler; nodes are added, removed, fail or recover; machines migrate; or the scenario pauses until it is resumed.',
      names,
    ),
  ),
  pool: partName('Pool that it happens to.'),
  vm: objectName('Machine that it happens to, as <pool>-<number>.'),
  count: integer(
    'How many: machines to create, to delete (all when left out), to have (scale) or to migrate (all when left out), or nodes to add.',
    { format: 'int32', minimum: 0, maximum: 100_000 },
  ),
  profile: partName('Profile that the machines follow from now on (setUtilization).'),
  cpu: number('CPU use from now on, as a share of the size (setUtilization).', { minimum: 0 }),
  memory: number('Memory use from now on, as a share of the size (setUtilization).', { minimum: 0, maximum: 1 }),
  nodeGroup: partName('Group of spec.nodes that grows (addNodes).'),
  nodes: list('Nodes or groups of spec.nodes that it happens to.', objectName('A node or a group of nodes.'), {
    type: 'set',
    minItems: 1,
    maxItems: 256,
  }),
  hotSpot: partName('Hot spot whose nodes it happens to.'),
  targetNode: objectName('Node to migrate to; the scheduler decides when left out.'),
};

const quoteActions = (actions: readonly Action[]) => `[${actions.map((action) => `'${action}'`).join(', ')}]`;

const fieldRules: readonly CelRule[] = Object.keys(actionFields)
  .filter((field) => field !== 'action')
  .flatMap((field) => {
    const needing = names.filter((name) => (ACTIONS[name].needs as readonly string[]).includes(field));
    const knowing = names.filter((name) =>
      [...ACTIONS[name].needs, ...ACTIONS[name].allows].some((known: string) => known === field),
    );
    const rules: CelRule[] = [
      {
        rule: `!has(self.${field}) || self.action in ${quoteActions(knowing)}`,
        message: `goes with the actions ${knowing.join(', ')} only`,
        reason: 'FieldValueForbidden',
        fieldPath: `.${field}`,
      },
    ];
    if (needing.length > 0) {
      rules.push({
        rule: `has(self.${field}) || !(self.action in ${quoteActions(needing)})`,
        message: `is needed by the actions ${needing.join(', ')}`,
        reason: 'FieldValueRequired',
        fieldPath: `.${field}`,
      });
    }
    return rules;
  });

const choiceRules: readonly CelRule[] = [
  {
    rule: "!(self.action in ['setUtilization', 'migrate']) || has(self.pool) != has(self.vm)",
    message: 'setUtilization and migrate name exactly one of pool and vm',
  },
  {
    rule: "self.action != 'setUtilization' || has(self.profile) != (has(self.cpu) || has(self.memory))",
    message: 'setUtilization needs either a profile, or cpu, memory or both',
  },
  {
    rule: "!(self.action in ['removeNodes', 'failNodes']) || has(self.nodes) != has(self.hotSpot)",
    message: 'removeNodes and failNodes name exactly one of nodes and hotSpot',
  },
  {
    rule: '!has(self.vm) || !has(self.count)',
    message: 'one machine has no count',
    reason: 'FieldValueForbidden',
    fieldPath: '.count',
  },
];

const rules = [...fieldRules, ...choiceRules];

export const timeline = list(
  'What happens when; events of the same time happen in the order they are written.',
  object(
    'An event.',
    { at: required(duration('When, in simulated time from the start.')), ...actionFields },
    { rules },
  ),
  { maxItems: 500 },
);

export const conditionalEvents = list(
  'What happens whenever a metric stays beyond a threshold.',
  object('Actions that wait for a metric.', {
    name: required(partName('Name of the conditional event, unique in the scenario.')),
    when: required(
      object('What must hold.', {
        scope: choice('Whether each node is looked at, or the mean over the cluster.', ['node', 'cluster'], {
          default: 'cluster',
        }),
        nodes: list(
          'Nodes or groups of spec.nodes that are looked at; all when empty.',
          objectName('A node or a group of nodes.'),
          {
            type: 'set',
            maxItems: 256,
          },
        ),
        metric: required(metric),
        operator: choice('Which side of the threshold counts.', ['above', 'below'], { default: 'above' }),
        threshold: required(number('The threshold, in the unit of the metric: a share, or a number of machines.')),
        for: duration('How long it must hold without a break, in simulated time.', { default: '0s' }),
      }),
    ),
    actions: required(
      list('What happens then, in this order.', object('An action.', actionFields, { rules }), {
        minItems: 1,
        maxItems: 16,
      }),
    ),
    cooldown: duration('How long nothing more happens after it happened, in simulated time.', { default: '5m' }),
    maxTimes: integer('How often it may happen; no limit when left out.', { format: 'int32', minimum: 1 }),
  }),
  { keys: ['name'], maxItems: 32 },
);
