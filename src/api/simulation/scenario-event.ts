import type { CelRule } from '#platform/schema/json-schema';
import { choice, duration, integer, list, number, object, requiredField } from '#platform/schema/schema';
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
  action: requiredField(
    choice(
      'Action: create or delete VMs of a pool, or scale it; change the utilization of VMs; add or remove nodes, or let them fail or recover; migrate VMs; or pause the scenario until it is resumed.',
      names,
    ),
  ),
  pool: partName('Affected pool.'),
  vm: objectName('Affected VM, as <pool>-<number>.'),
  count: integer(
    'Number of VMs to create, to delete (default: all), to scale to or to migrate (default: all), or of nodes to add.',
    { format: 'int32', minimum: 0, maximum: 100_000 },
  ),
  profile: partName('New profile of the VMs (setUtilization).'),
  cpu: number('New CPU utilization, as a fraction of the size (setUtilization).', { minimum: 0 }),
  memory: number('New memory utilization, as a fraction of the size (setUtilization).', { minimum: 0, maximum: 1 }),
  nodeGroup: partName('Group of spec.nodes to extend (addNodes).'),
  nodes: list('Affected nodes or groups of spec.nodes.', objectName('A node or a group of nodes.'), {
    type: 'set',
    minItems: 1,
    maxItems: 256,
  }),
  hotSpot: partName('Hot spot whose nodes are affected.'),
  targetNode: objectName('Target node of migrations. If not set, the scheduler chooses.'),
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
        message: `may only be set with the actions ${knowing.join(', ')}`,
        reason: 'FieldValueForbidden',
        fieldPath: `.${field}`,
      },
    ];
    if (needing.length > 0) {
      rules.push({
        rule: `has(self.${field}) || !(self.action in ${quoteActions(needing)})`,
        message: `is required by the actions ${needing.join(', ')}`,
        reason: 'FieldValueRequired',
        fieldPath: `.${field}`,
      });
    }
    return rules;
  });

const choiceRules: readonly CelRule[] = [
  {
    rule: "!(self.action in ['setUtilization', 'migrate']) || has(self.pool) != has(self.vm)",
    message: 'setUtilization and migrate need exactly one of pool and vm',
  },
  {
    rule: "self.action != 'setUtilization' || has(self.profile) != (has(self.cpu) || has(self.memory))",
    message: 'setUtilization needs either a profile, or cpu, memory or both',
  },
  {
    rule: "!(self.action in ['removeNodes', 'failNodes']) || has(self.nodes) != has(self.hotSpot)",
    message: 'removeNodes and failNodes need exactly one of nodes and hotSpot',
  },
  {
    rule: '!has(self.vm) || !has(self.count)',
    message: 'count cannot be set with vm',
    reason: 'FieldValueForbidden',
    fieldPath: '.count',
  },
];

const rules = [...fieldRules, ...choiceRules];

export const timeline = list(
  'Timeline of events; events at the same time run in list order.',
  object('An event.', { at: requiredField(duration('Simulated time from the start.')), ...actionFields }, { rules }),
  { maxItems: 500 },
);

export const conditionalEvents = list(
  'Actions that run whenever a metric stays beyond a threshold.',
  object('Actions that a metric triggers.', {
    name: requiredField(partName('Name of the conditional event, unique in the scenario.')),
    when: requiredField(
      object('Trigger condition.', {
        scope: choice(
          'Whether the condition applies to each node, or to the mean over the cluster.',
          ['node', 'cluster'],
          {
            default: 'cluster',
          },
        ),
        nodes: list(
          'Nodes or groups of spec.nodes to observe; all if empty.',
          objectName('A node or a group of nodes.'),
          {
            type: 'set',
            maxItems: 256,
          },
        ),
        metric: requiredField(metric),
        operator: choice('Whether the metric must be above or below the threshold.', ['above', 'below'], {
          default: 'above',
        }),
        threshold: requiredField(number('Threshold in the unit of the metric: a fraction, or a number of VMs.')),
        for: duration('How long the condition must hold without interruption, in simulated time.', { default: '0s' }),
      }),
    ),
    actions: requiredField(
      list('Actions to run, in order.', object('An action.', actionFields, { rules }), {
        minItems: 1,
        maxItems: 16,
      }),
    ),
    cooldown: duration('Minimum time until it can trigger again, in simulated time.', { default: '5m' }),
    maxTimes: integer('Maximum number of times it triggers. Unlimited if not set.', { format: 'int32', minimum: 1 }),
  }),
  { keys: ['name'], maxItems: 32 },
);
