import { choice, duration, integer, list, object, requiredField } from '#platform/schema/schema';
import { arrivals, distribution } from './distribution.ts';
import { partName } from './names.ts';
import { labels } from './resources.ts';

export const taskGenerators = list(
  'Generators of random tasks.',
  object(
    'A task generator.',
    {
      name: requiredField(partName('Name of the generator, unique in the scenario.')),
      creates: choice('What a task creates: load on an existing VM, or a VM.', ['load', 'vm'], {
        default: 'load',
      }),
      pool: partName('Pool whose VMs get the load; each task picks a random VM.'),
      hotSpot: partName('Hot spot whose nodes get the load; each task picks a random VM on them.'),
      from: duration('When the first task may arrive, from the start.', { default: '0s' }),
      until: duration('When tasks stop arriving. Defaults to the end of the scenario.'),
      arrivals: requiredField(arrivals),
      cpu: requiredField(distribution('CPU of a task', 'CPUs')),
      memoryGi: requiredField(distribution('Memory of a task', 'GiB')),
      lifetimeSeconds: requiredField(distribution('Duration of a task', 'simulated seconds')),
      maxConcurrent: integer('Maximum number of concurrent tasks; others are dropped and counted.', {
        format: 'int32',
        minimum: 1,
      }),
      labels: labels('the VMs that it creates'),
    },
    {
      rules: [
        {
          rule: "self.creates != 'load' || has(self.pool) != has(self.hotSpot)",
          message: 'creates: load needs exactly one of pool and hotSpot',
        },
        {
          rule: "self.creates != 'vm' || !(has(self.pool) || has(self.hotSpot))",
          message: 'creates: vm takes neither pool nor hotSpot: the scheduler places the VM',
          reason: 'FieldValueForbidden',
        },
        {
          rule: "self.creates == 'vm' || !has(self.labels)",
          message: 'labels may only be set with creates: vm',
          reason: 'FieldValueForbidden',
          fieldPath: '.labels',
        },
      ],
    },
  ),
  { keys: ['name'], maxItems: 32 },
);
