import type { Resource } from '../resource.ts';
import { olderAutoscaler, storedAutoscaler } from './autoscaler/convert-autoscaler.ts';
import { coreEvent, newerEvent } from './events/event.ts';

/** How a version of a resource is read from and written to the version that is stored, where that is another one. */
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
