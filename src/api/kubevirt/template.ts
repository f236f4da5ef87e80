import { dateTime, list, map, object, requiredField, string } from '#platform/schema/schema';
import { instanceSpec } from './instance-spec.ts';

const ignoredField = (what: string) => `${what} Some tools set it; it has no effect in a template.`;

/** KubeVirt accepts any metadata here, but only labels and annotations have an effect. */
const metadata = object(
  'Labels and annotations of the instance and its pod.',
  {
    labels: map('Labels, for Services and selectors.', string('A label value.')),
    annotations: map('Annotations.', string('An annotation value.')),
    name: string(ignoredField('Name.')),
    generateName: string(ignoredField('Prefix of a name.')),
    namespace: string(ignoredField('Namespace.')),
    creationTimestamp: dateTime(ignoredField('Time of creation.'), { nullable: true }),
    finalizers: list(ignoredField('Finalizers.'), string('A finalizer.')),
  },
  {
    nullable: true,
    also: {
      ownerReferences: {
        type: 'array',
        description: ignoredField('Owners.'),
        items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
);

export const template = object('Template of the instance that is created when the VM starts.', {
  metadata,
  spec: requiredField(instanceSpec),
});
