import { binaryText, toHex } from '#platform/base/bytes';
import { ParseError } from '#platform/base/errors';
import { sha256 } from '#platform/base/sha256';
import type { ServerHost } from './host.ts';
import { localEncoder } from './http/local-encoder.ts';
import { yamlResult } from './http/yaml-result.ts';

/** Host of a server in a browser: without other threads, webhooks and certificates. */
export const webHost: ServerHost = {
  digest: (content) => toHex(sha256(binaryText(content))),
  async post({ origin }) {
    throw new Error(`Post "${origin}": webhooks cannot be called from a browser`);
  },
  requestedOrganizations: async () => undefined,
  yaml: {
    async read(text) {
      const { json, duplicates = [], problem = '', isOurs = false } = yamlResult(text);
      if (json !== undefined) return { json, duplicates };
      throw isOurs ? new Error(problem) : new ParseError(problem);
    },
    async close() {},
  },
  encoder: localEncoder,
};
