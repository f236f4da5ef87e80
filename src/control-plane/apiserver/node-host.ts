import { createHash } from 'node:crypto';
import type { Clock } from '#platform/base/clock';
import { requestedOrganizations } from './access/requested-organizations.ts';
import { httpsPost } from './admission/webhooks/https-post.ts';
import type { ServerHost } from './host.ts';
import { EncodingThreads } from './http/encoding-threads.ts';
import { YamlReader } from './http/yaml-reader.ts';

/** Creates the host of a server in Node.js. The signal closes its connections. */
export function nodeHost(clock: Clock, signal: AbortSignal): ServerHost {
  return {
    digest: (content) => createHash('sha512').update(content).digest('hex'),
    post: httpsPost(clock, signal),
    requestedOrganizations,
    yaml: new YamlReader(clock),
    encoder: new EncodingThreads(clock),
  };
}
