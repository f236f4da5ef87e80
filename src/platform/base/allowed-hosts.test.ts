import { describe, expect, it } from 'vitest';
import { isAllowedHost, serviceHosts } from './allowed-hosts.ts';

const allowed = [...serviceHosts({ name: 'vimana-exporter', namespace: 'ops' }), '*.example.org'];

describe('a request to the host', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:8000',
    '10.1.2.3:8000',
    '[::1]:8000',
    '[fe80::1]',
    '[::ffff:127.0.0.1]:80',
    'localhost',
    'LOCALHOST:8000',
    'localhost.:8000',
    'vimana-exporter:8000',
    'vimana-exporter.ops',
    'vimana-exporter.ops.svc:443',
    'Vimana-Exporter.Ops.svc.cluster.local.',
    'a.example.org',
    'a.b.example.org:1',
  ])('%s is allowed', (host) => {
    expect(isAllowedHost(host, allowed)).toBe(true);
  });

  it.each([
    undefined,
    '',
    ':8000',
    'rebound.example.com',
    'example.org',
    '.example.org',
    'evilexample.org',
    'localhost.example.com',
    'localhost..',
    '127.0.0.1.example.com',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '[127.0.0.1]',
    '[::1',
    '::1',
    '[evil.com]:80',
    '127.0.0.1:8000@evil.com',
    'evil.com#127.0.0.1',
    '127.0.0.1 evil.com',
    'vimana-exporter.other.svc',
    'kubernetes.default.svc',
  ])('%s is rejected', (host) => {
    expect(isAllowedHost(host, allowed)).toBe(false);
  });
});
