import type { KubeObject } from '#platform/kube/kube-object';

export type EventType = 'Normal' | 'Warning';

/** Object that an Event can be about. */
export type EventObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/**
 * Records what happens to an object, as Events for users. It is cheap, never fails and never waits: Events are best
 * effort, may be late under load, and may be dropped when there are too many.
 */
export interface EventRecorder {
  /** Records an Event. `reason` is one word in UpperCamelCase; `message` is for people. */
  event(object: EventObject, type: EventType, reason: string, message: string): void;
}

/** Recorder that drops all Events. */
export const noopRecorder: EventRecorder = { event: () => {} };
