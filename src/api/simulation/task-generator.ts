import { choice, duration, integer, list, object, required } from '#platform/schema/schema';
import { arrivals, distribution } from './distribution.ts';
import { partName } from './names.ts';
import { labels } from './resources.ts';

export const taskGenerators = list(
  'Sources of tasks that come and go by chance.',
  object(
    'A source of tasks.',
    {
      name: required(partName('Name of the generator, unique in the scenario.')),
      creates: choice('What a task is: load on a machine that is there, or a machine of its own.', ['load', 'vm'], {
        default: 'load',
      }),
      pool: partName('Pool whose machines get the load, one by chance for each task.'),
      hotSpot: partName('Hot spot whose nodes get the load, on one of their machines by chance for each task.'),
      from: duration('When the first task may arrive, counted from the start.', { default: '0s' }),
      until: duration('When no more tasks arrive; the end of the scenario when left out.'),
      arrivals: required(arrivals),
      cpu: required(distribution('CPU that a task takes', 'CPUs')),
      memoryGi: required(distribution('Memory that a task takes', 'GiB')),
      lifetimeSeconds: required(distribution('How long a task lasts', 'simulated seconds')),
      maxConcurrent: integer('Most tasks at one time; further ones are dropped and counted.', {
        format: 'int32',
        minimum: 1,
      }),
      labels: labels('the machines that it creates'),
    },
    {
      rules: [
        {
          rule: "self.creates != 'load' || has(self.pool) != has(self.hotSpot)",
          message: 'load goes to exactly one of pool and hotSpot',
        },
        {
          rule: "self.creates != 'vm' || !(has(self.pool) || has(self.hotSpot))",
          message: 'a machine of its own is placed by the scheduler: give neither pool nor hotSpot',
          reason: 'FieldValueForbidden',
        },
        {
          rule: "self.creates == 'vm' || !has(self.labels)",
          message: 'labels go with creates: vm',
          reason: 'FieldValueForbidden',
          fieldPath: '.labels',
        },
      ],
    },
  ),
  { keys: ['name'], maxItems: 32 },
);
