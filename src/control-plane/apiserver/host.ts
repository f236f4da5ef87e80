import type { YamlSource } from './long-work.ts';
import type { HttpsPost } from './webhook-post.ts';

/** What the API server needs from the engine that runs it. Node.js provides all of it, a browser only a part. */
export interface ServerHost {
  /** Returns the hash of a document's content, in hexadecimal digits. */
  readonly digest: (content: Uint8Array) => string;
  /** Calls a webhook. */
  readonly post: HttpsPost;
  /** Returns the groups of a certificate request in PEM, or undefined if it is not one that its own key signed. */
  readonly requestedOrganizations: (pem: string) => Promise<readonly string[] | undefined>;
  readonly yaml: YamlSource;
}
