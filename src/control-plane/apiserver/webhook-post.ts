/** Destination of a call: `url` names the webhook, and `origin` is where it is reached. */
export interface Destination {
  readonly url: string;
  readonly origin: string;
  readonly serverName: string;
  readonly ca: string | undefined;
}

export interface PostResult {
  readonly status: number;
  readonly text: string;
}

/** Sends JSON and returns the response. Fails with an Error in the words of Go's HTTP client. */
export type HttpsPost = (
  destination: Destination,
  body: string,
  timeoutSeconds: number,
  signal: AbortSignal,
) => Promise<PostResult>;
