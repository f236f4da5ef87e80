import { choice, dateTime, integer, list, object, requiredField, string } from './schema.ts';

/** One observed aspect of an object, by the conventions of Kubernetes. */
const condition = object('One observed condition of the object.', {
  type: requiredField(string('Type of the condition, in CamelCase.', { minLength: 1, maxLength: 316 })),
  status: requiredField(choice('True, False or Unknown.', ['True', 'False', 'Unknown'])),
  reason: string('Machine-readable reason for the last transition, in CamelCase.', { maxLength: 1024 }),
  message: string('Human-readable message about the last transition.', { maxLength: 32768 }),
  observedGeneration: integer('Generation of the spec that this was observed for.', { format: 'int64', minimum: 0 }),
  lastProbeTime: dateTime('When the condition was last checked.', { nullable: true }),
  lastTransitionTime: dateTime('When the status last changed.', { nullable: true }),
});

/** Creates a list keyed by type, as `kubectl wait --for=condition=...` and server-side apply expect. */
export function conditions(types: string) {
  return list(`Conditions of the object: ${types}.`, condition, { keys: ['type'] });
}
