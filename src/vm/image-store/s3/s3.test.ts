import { describe, expect, it } from 'vitest';
import { objectAddress } from './object-address.ts';
import { signedHeaders } from './signature.ts';

describe('a request to S3', () => {
  it('is signed as in the example of AWS for a bucket lifecycle', () => {
    const headers = signedHeaders({
      url: new URL('https://examplebucket.s3.amazonaws.com/?lifecycle'),
      region: 'us-east-1',
      keys: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      now: Date.UTC(2013, 4, 24),
    });
    expect(headers['x-amz-date']).toBe('20130524T000000Z');
    expect(headers['authorization']).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        'SignedHeaders=host;x-amz-content-sha256;x-amz-date, ' +
        'Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    );
  });

  it.each([
    ['bucket', 'a/b c', {}, 'https://bucket.s3.us-east-1.amazonaws.com/a/b%20c'],
    ['bucket', 'a', { region: 'eu-west-1' }, 'https://bucket.s3.eu-west-1.amazonaws.com/a'],
    ['my.bucket', 'a', {}, 'https://s3.us-east-1.amazonaws.com/my.bucket/a'],
    ['bucket', "a/(1)'*", { endpoint: 'http://minio:9000/' }, 'http://minio:9000/bucket/a/%281%29%27%2A'],
    ['bucket', 'a', { endpoint: 'minio.example/s3' }, 'https://minio.example/s3/bucket/a'],
  ])('for s3://%s/%s with %j goes to %s', (bucket, key, access, url) => {
    expect(objectAddress(bucket, key, access).href).toBe(url);
  });

  it('does not go to a file', () => {
    expect(() => objectAddress('bucket', 'a', { endpoint: 'file:///etc' })).toThrow(
      'is not an http:// or https:// URL',
    );
  });
});
