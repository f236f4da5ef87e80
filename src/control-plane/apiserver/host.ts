import type { Encoder, YamlSource } from './long-work.ts';
import type { HttpsPost } from './webhook-post.ts';

/** Functions that the API server needs from its JavaScript runtime. Node.js provides all of them, a browser some. */
export interface ServerHost {
  /** Returns the hash of a document's content, in hexadecimal digits. */
  readonly digest: (content: Uint8Array) => string;
  /** Calls a webhook. */
  readonly post: HttpsPost;
  /** Returns the groups of a certificate request in PEM, or undefined if it is not one that its own key signed. */
  readonly requestedOrganizations: (pem: string) => Promise<readonly string[] | undefined>;
  readonly yaml: YamlSource;
  /** Encodes large responses and decodes large bodies. */
  readonly encoder: Encoder;
}
