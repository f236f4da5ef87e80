import { boolean, choice, duration, integer, object } from '#platform/schema/schema';

export const highAvailability = object('What happens when the VM or its node fails.', {
  enabled: boolean(
    'Whether the VM is restarted and migrated automatically. If not, a VM that has ended by itself or with its node stays stopped until it is started, and a drain stops it.',
    { default: false },
  ),
  restartPolicy: choice(
    'When the VM is restarted after it ended: always, only after a failure, or never.',
    ['Always', 'OnFailure', 'Never'],
    { default: 'Always' },
  ),
  restartDelay: duration('Delay before a restart. There is no delay after the loss of a node.', {
    default: '30s',
  }),
  maxRestarts: integer(
    'Consecutive restarts after which the VM stays stopped as Failed. The count starts again once the VM has run for 10 minutes. Restarts after the loss of a node do not count.',
    { format: 'int32', minimum: 0, default: 3 },
  ),
  evictionStrategy: choice(
    'What a drain of the node does: live-migrate the VM, shut it down and start it on another node, or do nothing.',
    ['LiveMigrate', 'Shutdown', 'None'],
    { default: 'LiveMigrate' },
  ),
});
