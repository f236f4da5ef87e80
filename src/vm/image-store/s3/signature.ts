import { createHash, createHmac } from 'node:crypto';
import type { S3Keys } from '../credentials.ts';

export interface SignedRequest {
  readonly url: URL;
  readonly region: string;
  readonly keys: S3Keys;
  /** Time of the request in milliseconds since the Unix epoch. */
  readonly now: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
/** Digest of a request without a body. */
const EMPTY = sha256('');

/** Returns the headers that sign a GET request with AWS Signature Version 4. */
export function signedHeaders({ url, region, keys, now }: SignedRequest): Record<string, string> {
  const time = new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': EMPTY,
    'x-amz-date': time,
    ...(keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const request = [
    'GET',
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    EMPTY,
  ].join('\n');
  const text = [ALGORITHM, time, scope, sha256(request)].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce(
    (outer, part) => hmac(outer, part),
    hmac(`AWS4${keys.secretAccessKey}`, time.slice(0, 8)),
  );
  const signature = hmac(key, text).toString('hex');
  const authorization = `${ALGORITHM} Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  const { host: _host, ...sent } = headers;
  return { ...sent, authorization };
}

function canonicalQuery(url: URL): string {
  const pairs = [...url.searchParams].map(([name, value]) => `${escapeUri(name)}=${escapeUri(value)}`);
  return pairs.sort().join('&');
}

/** Escapes all but unreserved characters, as the signature requires. */
export function escapeUri(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
