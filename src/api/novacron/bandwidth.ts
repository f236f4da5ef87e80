import { string } from '#platform/schema/schema';

/** Returns the schema of a bit rate above zero: 100Mbps, 1Gbps. */
export function bandwidth(description: string) {
  return string(description, { pattern: '^[1-9][0-9]*[KMGT]?bps$', maxLength: 24 });
}
