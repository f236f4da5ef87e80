import { choice, integer, list, object, required, string, timestamp } from './schema.ts';

/** One observed aspect of an object, by the conventions of Kubernetes. */
const condition = object('One observed aspect of the object.', {
  type: required(string('Name of the aspect, in CamelCase.', { minLength: 1, maxLength: 316 })),
  status: required(choice('Whether the aspect holds.', ['True', 'False', 'Unknown'])),
  reason: string('Machine-readable reason for the last transition, in CamelCase.', { maxLength: 1024 }),
  message: string('What a person should know about the last transition.', { maxLength: 32768 }),
  observedGeneration: integer('Generation of the spec that this was observed for.', { format: 'int64', minimum: 0 }),
  lastProbeTime: timestamp('When the aspect was last looked at.', { nullable: true }),
  lastTransitionTime: timestamp('When the status last changed.', { nullable: true }),
});

/** Creates a list keyed by type, as `kubectl wait --for=condition=...` and server-side apply expect. */
export function conditions(types: string) {
  return list(`Observed aspects of the object: ${types}.`, condition, { keys: ['type'] });
}
