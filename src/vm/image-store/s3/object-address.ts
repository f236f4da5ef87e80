import type { S3Access } from '../credentials.ts';
import { ImageError } from '../image-error.ts';
import { escapeUri } from './signature.ts';

export const DEFAULT_REGION = 'us-east-1';

/**
 * Returns the address of an object. Buckets of AWS are hosts; those of other servers are directories, which need no
 * names in DNS.
 */
export function objectAddress(bucket: string, key: string, { endpoint, region = DEFAULT_REGION }: S3Access): URL {
  const path = key.split('/').map(escapeUri).join('/');
  if (endpoint === undefined) {
    // A certificate for *.s3 does not cover names with further dots.
    const [host, prefix] = bucket.includes('.') ? ['', `${bucket}/`] : [`${bucket}.`, ''];
    return new URL(`https://${host}s3.${region}.amazonaws.com/${prefix}${path}`);
  }
  const base = URL.parse(endpoint.includes('://') ? endpoint : `https://${endpoint}`);
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new ImageError('ErrImagePull', 'the endpoint in the Secret of the image is not an http:// or https:// URL');
  }
  return new URL(`${base.pathname.replace(/\/$/, '')}/${bucket}/${path}`, base);
}
