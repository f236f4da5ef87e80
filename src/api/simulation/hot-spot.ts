import { choice, integer, list, object, requiredField } from '#platform/schema/schema';
import { objectName, partName } from './names.ts';

export const metric = choice(
  'Metric: utilization and pressure are fractions of a node, the others are numbers of VMs.',
  ['cpuUsage', 'memoryUsage', 'cpuPressure', 'memoryPressure', 'vmCount', 'pendingVMs'],
);

export const hotSpots = list(
  'Nodes on which load concentrates; generators and events refer to them.',
  object(
    'Nodes that are listed, or selected by a metric when they are used.',
    {
      name: requiredField(partName('Name of the hot spot, unique in the scenario.')),
      nodes: list('Nodes or groups of spec.nodes.', objectName('A node or a group of nodes.'), {
        type: 'set',
        minItems: 1,
        maxItems: 256,
      }),
      pick: object('Selects the nodes by a metric when they are used.', {
        metric: requiredField(
          choice('Metric to compare.', ['cpuUsage', 'memoryUsage', 'cpuPressure', 'memoryPressure', 'vmCount']),
        ),
        order: choice('Whether the highest or the lowest values are selected.', ['highest', 'lowest'], {
          default: 'highest',
        }),
        count: integer('Number of nodes.', { format: 'int32', minimum: 1, default: 1 }),
      }),
    },
    {
      rules: [{ rule: 'has(self.nodes) != has(self.pick)', message: 'a hot spot has exactly one of nodes and pick' }],
    },
  ),
  { keys: ['name'], maxItems: 32 },
);
