import { boolean, choice, duration, integer, object } from '../schema.ts';

export const highAvailability = object('What happens when the machine or its node fails.', {
  enabled: boolean('Whether the machine is restarted and moved without being asked.', { default: false }),
  restartPolicy: choice(
    'When the machine is started again after it ended: always, only after a failure, or never.',
    ['Always', 'OnFailure', 'Never'],
    { default: 'Always' },
  ),
  restartDelay: duration('Pause before a restart.', { default: '30s' }),
  maxRestarts: integer('Restarts in a row after which the machine stays down as Failed.', {
    format: 'int32',
    minimum: 0,
    default: 3,
  }),
  evictionStrategy: choice(
    'What a drain of the node does: move the machine live, shut it down to start elsewhere, or leave it to the drain.',
    ['LiveMigrate', 'Shutdown', 'None'],
    { default: 'LiveMigrate' },
  ),
});
