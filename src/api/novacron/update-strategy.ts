import type { CelRule } from '#platform/schema/json-schema';
import { choice, integer, intOrString, object } from '#platform/schema/schema';

/** Count, or a percentage of all VMs from 0% to 100%. */
const COUNT_OR_PERCENT = '^([0-9]+|[0-9]{1,2}%|100%)$';

const type = choice(
  'How a changed template reaches machines that run: RollingUpdate a few at a time, Recreate all at once.',
  ['RollingUpdate', 'Recreate'],
  { default: 'RollingUpdate' },
);

const onlyWhenRolling: readonly CelRule[] = [
  {
    rule: "self.type == 'RollingUpdate' || !has(self.rollingUpdate)",
    message: 'may only be given with type RollingUpdate',
    reason: 'FieldValueForbidden',
    fieldPath: '.rollingUpdate',
  },
];

// CEL lists hold values of one type only, so the three forms of zero are compared one by one.
const isZero = (field: string) => `(${field} == 0 || ${field} == '0' || ${field} == '0%')`;

const maxUnavailable = 'How many machines may be down meanwhile, as a number or a percentage (rounded down).';

export const machineUpdateStrategy = object(
  'How a change of the template reaches the machine while it runs. Not served yet: what cannot change while it runs waits for its next start, and condition RestartRequired says so.',
  {
    type,
    rollingUpdate: object('Limits of a rolling update.', {
      maxUnavailable: intOrString(maxUnavailable, { pattern: COUNT_OR_PERCENT, default: 1 }),
    }),
  },
  { default: {}, rules: onlyWhenRolling },
);

export const poolUpdateStrategy = object(
  'How a change of the template reaches the machines of the pool.',
  {
    type,
    rollingUpdate: object(
      'Limits of a rolling update.',
      {
        maxSurge: intOrString(
          'How many machines there may be beyond the wanted number, as a number or a percentage (rounded up).',
          { pattern: COUNT_OR_PERCENT, default: 1 },
        ),
        maxUnavailable: intOrString(maxUnavailable, { pattern: COUNT_OR_PERCENT, default: 0 }),
        partition: integer('How many machines, the oldest ones, keep the template they have.', {
          format: 'int32',
          minimum: 0,
          default: 0,
        }),
      },
      {
        rules: [
          {
            rule: `!(${isZero('self.maxSurge')} && ${isZero('self.maxUnavailable')})`,
            message: 'may not be 0 when maxSurge is 0: no machine could ever be replaced',
            fieldPath: '.maxUnavailable',
          },
        ],
      },
    ),
  },
  { default: {}, rules: onlyWhenRolling },
);
