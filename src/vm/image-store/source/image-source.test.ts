import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mirroredName } from './image-mirrors.ts';
import { formatImageSource, parseImageSource } from './image-source.ts';
import { parseOciReference } from './oci-reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('the name of an image', () => {
  it.each([
    ['debian', 'docker.io/library/debian:latest'],
    ['kubevirt/fedora:40', 'docker.io/kubevirt/fedora:40'],
    ['quay.io/containerdisks/debian:12', 'quay.io/containerdisks/debian:12'],
    ['localhost:5000/a/b', 'localhost:5000/a/b:latest'],
    ['[::1]:5000/a', '[::1]:5000/a:latest'],
    [`quay.io/a@${DIGEST}`, `quay.io/a@${DIGEST}`],
    [`quay.io/a:1@${DIGEST}`, `quay.io/a:1@${DIGEST}`],
    ['docker://quay.io/a:1', 'quay.io/a:1'],
    ['vimana.local/demo-guest', 'vimana.local/demo-guest'],
    ['vimana.local/demo-guest:latest', 'vimana.local/demo-guest'],
    ['https://example.org/a.qcow2?x=1', 'https://example.org/a.qcow2?x=1'],
    ['s3://bucket/path/to key'.replace(' ', '-'), 's3://bucket/path/to-key'],
    ['marketplace://debian-12', 'marketplace://debian-12'],
  ])('%s means %s', (text, formatted) => {
    expect(formatImageSource(parseImageSource(text))).toBe(formatted);
  });

  it.each([
    '',
    'Debian',
    'quay.io/',
    'quay.io/a:',
    'quay.io/a@sha256:1',
    'quay.io/../etc/passwd',
    'vimana.local/../secret',
    'vimana.local/a/b',
    's3://bucket',
    's3://bucket/',
    'marketplace://',
    'file:///etc/passwd',
    'http://',
    `a@${DIGEST}@${DIGEST}`,
  ])('%j is rejected', (text) => {
    expect(() => parseImageSource(text)).toThrow('is not the name of an image');
  });

  it('never leads out of its repository', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab./:@-_'), maxLength: 24 }), (text) => {
        const { repository = '', tag = '' } = parseOciReference(text) ?? {};
        expect(`${repository}/${tag}`).not.toMatch(/(?:^|\/)\.\.?(?:\/|$)/);
      }),
    );
  });
});

describe('a mirror', () => {
  const mirrors = [
    { from: 'quay.io', to: 'mirror.example/quay' },
    { from: 'quay.io/fedora', to: 'fedora.example' },
    { from: 'https://cloud.debian.org/', to: 'http://10.0.0.1/debian/' },
    { from: 'marketplace://debian-12', to: 'vimana.local/demo-guest' },
  ];
  it.each([
    ['quay.io/a:1', 'mirror.example/quay/a:1'],
    ['quay.io/fedora:40', 'fedora.example:40'],
    ['quay.io/fedora/b:40', 'fedora.example/b:40'],
    ['quay.io/fedoras:40', 'mirror.example/quay/fedoras:40'],
    ['quay.iox/a', 'quay.iox/a'],
    ['https://cloud.debian.org/images/x', 'http://10.0.0.1/debian/images/x'],
    ['marketplace://debian-12', 'vimana.local/demo-guest'],
    ['marketplace://debian-120', 'marketplace://debian-120'],
  ])('fetches %s from %s', (name, from) => {
    expect(mirroredName(name, mirrors)).toBe(from);
  });
});
