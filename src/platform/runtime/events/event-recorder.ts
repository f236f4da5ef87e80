import type { KubeObject } from '#platform/kube/kube-object';

export type EventType = 'Normal' | 'Warning';

/** What an Event can be about: anything that says what it is. */
export type EventObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/**
 * Tells users what happens to an object, as Events. It costs the caller next to nothing, never fails and never waits:
 * Events are a courtesy, may come late when there is much to do, and may be left out when there are too many.
 */
export interface EventRecorder {
  /** `reason` is one word in UpperCamelCase; `message` is for people. */
  event(object: EventObject, type: EventType, reason: string, message: string): void;
}

/** Tells nobody. */
export const noopRecorder: EventRecorder = { event: () => {} };
