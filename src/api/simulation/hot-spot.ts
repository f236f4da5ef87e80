import { choice, integer, list, object, required } from '#platform/schema/schema';
import { objectName, partName } from './names.ts';

export const metric = choice(
  'What is measured: use and pressure are shares of a node, the others are numbers of machines.',
  ['cpuUsage', 'memoryUsage', 'cpuPressure', 'memoryPressure', 'vmCount', 'pendingVMs'],
);

export const hotSpots = list(
  'Nodes on which load gathers; generators and events name them.',
  object(
    'Nodes that are named, or that a metric picks at the moment of use.',
    {
      name: required(partName('Name of the hot spot, unique in the scenario.')),
      nodes: list('Nodes or groups of spec.nodes.', objectName('A node or a group of nodes.'), {
        type: 'set',
        minItems: 1,
        maxItems: 256,
      }),
      pick: object('Picks the nodes at the moment of use.', {
        metric: required(
          choice('What is compared.', ['cpuUsage', 'memoryUsage', 'cpuPressure', 'memoryPressure', 'vmCount']),
        ),
        order: choice('Which end is picked.', ['highest', 'lowest'], { default: 'highest' }),
        count: integer('How many nodes.', { format: 'int32', minimum: 1, default: 1 }),
      }),
    },
    {
      rules: [{ rule: 'has(self.nodes) != has(self.pick)', message: 'a hot spot has exactly one of nodes and pick' }],
    },
  ),
  { keys: ['name'], maxItems: 32 },
);
