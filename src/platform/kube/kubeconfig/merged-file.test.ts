import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { editKubeconfig, mergeTarget } from './merged-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'vimana-merge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

test('the target is the file that kubectl writes to', () => {
  writeFileSync(at('there'), '');
  expect(mergeTarget({ HOME: '/home/me' })).toBe('/home/me/.kube/config');
  expect(mergeTarget({ HOME: '/home/me', KUBECONFIG: '' })).toBe('/home/me/.kube/config');
  expect(mergeTarget({ KUBECONFIG: `/none:${at('there')}:/other` })).toBe(at('there'));
  expect(mergeTarget({ KUBECONFIG: '/none:/other' })).toBe('/other');
});

test('a file is created in its directory, for the owner only, and a link stays a link', async () => {
  const file = at('new/config');
  await editKubeconfig(file, new FakeClock(), (text) => `${text}1`);
  symlinkSync(file, at('link'));
  await editKubeconfig(at('link'), new FakeClock(), (text) => `${text}2`);
  expect(readFileSync(file, 'utf8')).toBe('12');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test('a change waits for the lock of another program, and fails if it stays', async () => {
  const file = at('locked');
  const clock = new FakeClock();
  writeFileSync(`${file}.lock`, '');
  const waiting = editKubeconfig(file, clock, () => 'changed');
  await clock.advance(1_000);
  expect(existsSync(file)).toBe(false);
  rmSync(`${file}.lock`);
  await clock.advance(1_000);
  await waiting;
  expect(readFileSync(file, 'utf8')).toBe('changed');
  writeFileSync(`${file}.lock`, '');
  const failing = expect(editKubeconfig(file, clock, () => 'again')).rejects.toMatchObject({
    message: `the kubeconfig is locked by another program: ${file}.lock exists`,
    hint: expect.stringContaining(`rm ${file}.lock`),
  });
  await clock.advance(6_000);
  await failing;
  expect(readFileSync(file, 'utf8')).toBe('changed');
  expect(existsSync(`${file}.lock`)).toBe(true);
});

test('a failed change keeps the file and releases the lock', async () => {
  const file = at('kept');
  writeFileSync(file, 'kept');
  const fail = () => {
    throw new Error('no');
  };
  await expect(editKubeconfig(file, new FakeClock(), fail)).rejects.toThrow(
    `the kubeconfig ${file} cannot be changed: no`,
  );
  await editKubeconfig(file, new FakeClock(), () => undefined);
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.lock`)]).toEqual(['kept', false]);
});
