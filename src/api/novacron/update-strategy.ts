import type { CelRule } from '#platform/schema/json-schema';
import { choice, integer, intOrString, object } from '#platform/schema/schema';

/** Count, or a percentage of all VMs from 0% to 100%. */
const COUNT_OR_PERCENT = '^([0-9]+|[0-9]{1,2}%|100%)$';

const type = choice(
  'How a template change is rolled out to running VMs: RollingUpdate a few at a time, Recreate all at once.',
  ['RollingUpdate', 'Recreate'],
  { default: 'RollingUpdate' },
);

const onlyWhenRolling: readonly CelRule[] = [
  {
    rule: "self.type == 'RollingUpdate' || !has(self.rollingUpdate)",
    message: 'may only be set with type RollingUpdate',
    reason: 'FieldValueForbidden',
    fieldPath: '.rollingUpdate',
  },
];

// CEL lists hold values of one type only, so the three forms of zero are compared one by one.
const isZero = (field: string) => `(${field} == 0 || ${field} == '0' || ${field} == '0%')`;

const maxUnavailable =
  'Maximum number of unavailable VMs during the update, as a number or a percentage (rounded down).';

export const machineUpdateStrategy = object(
  'How a template change applies to the running VM. Not supported yet: changes that need a restart apply at the next start, and the condition RestartRequired reports this.',
  {
    type,
    rollingUpdate: object('Limits of a rolling update.', {
      maxUnavailable: intOrString(maxUnavailable, { pattern: COUNT_OR_PERCENT, default: 1 }),
    }),
  },
  { default: {}, rules: onlyWhenRolling },
);

export const poolUpdateStrategy = object(
  'How a template change is rolled out to the VMs of the pool.',
  {
    type,
    rollingUpdate: object(
      'Limits of a rolling update.',
      {
        maxSurge: intOrString(
          'Maximum number of VMs above the desired number, as a number or a percentage (rounded up).',
          { pattern: COUNT_OR_PERCENT, default: 1 },
        ),
        maxUnavailable: intOrString(maxUnavailable, { pattern: COUNT_OR_PERCENT, default: 0 }),
        partition: integer('Number of the oldest VMs that keep their template.', {
          format: 'int32',
          minimum: 0,
          default: 0,
        }),
      },
      {
        rules: [
          {
            rule: `!(${isZero('self.maxSurge')} && ${isZero('self.maxUnavailable')})`,
            message: 'may not be 0 if maxSurge is 0: no VM could be replaced',
            fieldPath: '.maxUnavailable',
          },
        ],
      },
    ),
  },
  { default: {}, rules: onlyWhenRolling },
);
