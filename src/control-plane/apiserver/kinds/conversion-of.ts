import type { Resource } from '../resource.ts';
import { olderAutoscaler, storedAutoscaler } from './autoscaler/convert-autoscaler.ts';
import { coreEvent, newerEvent } from './events/event.ts';

/** Returns the conversion between a version of a resource and its storage version, if they differ. */
export function conversionOf(
  group: string,
  version: string,
  plural: string,
): Pick<Resource, 'fromStorage' | 'toStorage'> {
  if (group === 'events.k8s.io' && plural === 'events') {
    return { fromStorage: (objects) => objects.map(newerEvent), toStorage: coreEvent };
  }
  if (group === 'autoscaling' && version === 'v1' && plural === 'horizontalpodautoscalers') {
    return { fromStorage: (objects) => objects.map(olderAutoscaler), toStorage: storedAutoscaler };
  }
  return {};
}
