import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exporterToken } from './exporter-token.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'vimana-token-'));
  vi.stubEnv('XDG_DATA_HOME', directory);
  const tokens = join(directory, 'vimana', 'tokens');
  mkdirSync(tokens, { recursive: true });
  for (const name of ['127.0.0.1_8000', '0.0.0.0_8001', '--1_8002', '127.0.0.1_80'])
    writeFileSync(join(tokens, name), `of ${name}\n`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

describe('the token for an exporter', () => {
  it.each([
    ['http://127.0.0.1:8000', 'of 127.0.0.1_8000'],
    ['http://127.0.0.1:8001/x', 'of 0.0.0.0_8001'],
    ['http://[::1]:8002', 'of --1_8002'],
    ['http://127.0.0.1', 'of 127.0.0.1_80'],
    ['http://127.0.0.1:9000', undefined],
    ['http://localhost:8000', undefined],
    ['http://10.0.0.1:8000', undefined],
    ['https://exporter.example.org:8000', undefined],
  ])('at %s is %s', (url, token) => {
    expect(exporterToken(url)).toBe(token);
  });

  it('comes from the given file, wherever the exporter runs', () => {
    const file = join(directory, 'mine');
    writeFileSync(file, 'secret\n');
    expect(exporterToken('https://exporter.example.org', file)).toBe('secret');
    expect(() => exporterToken('http://127.0.0.1:8000', join(directory, 'none'))).toThrow(/does not exist/);
  });
});
