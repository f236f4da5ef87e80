import { describe, expect, it } from 'vitest';
import { parseChallenge, tokenAddress } from './auth-challenge.ts';
import { dockerCredentials } from './docker-config.ts';
import { parseManifest } from './manifest.ts';

describe('the challenge of a registry', () => {
  it.each([
    [
      'Bearer realm="https://auth.example/token",service="registry",scope="repository:a:pull"',
      { scheme: 'bearer', realm: 'https://auth.example/token', service: 'registry', scope: 'repository:a:pull' },
    ],
    ['bearer realm=https://auth.example/t', { scheme: 'bearer', realm: 'https://auth.example/t' }],
    ['Basic realm="x"', { scheme: 'basic' }],
    ['Digest realm="x"', undefined],
    ['Bearer service="x"', undefined],
    [null, undefined],
  ])('%s is understood', (header, challenge) => {
    expect(parseChallenge(header)).toEqual(challenge);
  });

  it.each([
    ['https://auth.example/token?a=1', 'https://auth.example/token?a=1&scope=repository%3Ar%3Apull'],
    ['http://auth.example/token', undefined],
    ['file:///etc/passwd', undefined],
    ['nonsense', undefined],
  ])('with the realm %s leads to %s', (realm, address) => {
    expect(tokenAddress({ scheme: 'bearer', realm }, new URL('https://registry.example'), 'r')).toBe(address);
  });
});

describe('a Docker configuration', () => {
  const auth = (text: string) => ({ auth: Buffer.from(text).toString('base64') });
  const config = JSON.stringify({
    auths: {
      'https://index.docker.io/v1/': auth('hub:pass:word'),
      'quay.io': auth('all:1'),
      'quay.io/team': { username: 'team', password: '2' },
      'broken.example': { auth: 7 },
    },
  });
  it.each([
    ['docker.io', 'library/a', { username: 'hub', password: 'pass:word' }],
    ['quay.io', 'a', { username: 'all', password: '1' }],
    ['quay.io', 'team/a', { username: 'team', password: '2' }],
    ['quay.io', 'teams/a', { username: 'all', password: '1' }],
    ['evil-quay.io', 'team/a', undefined],
    ['broken.example', 'a', undefined],
  ])('has the credentials of %s/%s', (registry, repository, credentials) => {
    expect(dockerCredentials(config, registry, repository)).toEqual(credentials);
  });
});

describe('a manifest', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const descriptor = { mediaType: 'm', digest, size: 1 };
  const platform = (architecture: string) => ({ ...descriptor, platform: { os: 'linux', architecture } });
  it.each([
    [{ layers: [descriptor] }, { kind: 'image', layers: [descriptor] }],
    [{ manifests: [platform('arm64'), platform('amd64')] }, { kind: 'index', chosen: descriptor }],
    [{ manifests: [descriptor] }, { kind: 'index', chosen: descriptor }],
  ])('%j is understood', (manifest, parsed) => {
    expect(parseManifest(JSON.stringify(manifest))).toEqual(parsed);
  });

  it.each([
    ['not JSON', 'it is not JSON'],
    ['null', 'it is not JSON'],
    ['{}', 'it has no layers'],
    [JSON.stringify({ manifests: [platform('arm64')] }), 'no manifest for linux/amd64'],
    [JSON.stringify({ layers: [{ ...descriptor, digest: 'sha256:../../etc' }] }), 'a descriptor is malformed'],
    [JSON.stringify({ layers: [{ ...descriptor, size: -1 }] }), 'a size is malformed'],
  ])('%s is rejected', (text, problem) => {
    expect(() => parseManifest(text)).toThrow(problem);
  });
});
