import { boolean, choice, duration, integer, object } from '#platform/schema/schema';

export const highAvailability = object('What happens when the machine or its node fails.', {
  enabled: boolean(
    'Whether the machine is restarted and moved without being asked. Where it is not, a machine that has ended by itself, or with its node, stays down until it is started, and a drain ends it.',
    { default: false },
  ),
  restartPolicy: choice(
    'When the machine is started again after it ended: always, only after a failure, or never.',
    ['Always', 'OnFailure', 'Never'],
    { default: 'Always' },
  ),
  restartDelay: duration('Pause before a restart; there is none after the loss of a node, which has been waited for.', {
    default: '30s',
  }),
  maxRestarts: integer(
    'Restarts in a row after which the machine stays down as Failed. A machine that has run for 10 minutes begins another row; a restart after the loss of a node is not counted.',
    { format: 'int32', minimum: 0, default: 3 },
  ),
  evictionStrategy: choice(
    'What a drain of the node does: move the machine live, shut it down to start elsewhere, or leave it to the drain.',
    ['LiveMigrate', 'Shutdown', 'None'],
    { default: 'LiveMigrate' },
  ),
});
