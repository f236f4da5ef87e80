import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportSkipped } from '#testing/programs';
import { type AttackTarget, vimanaUp } from './support/attack-target.ts';

interface Listeners {
  readonly exporter: string;
  readonly metrics: string;
  readonly health: string;
  readonly tokenFile: string;
}

const EMPTY = JSON.stringify([{ name: 'kwok-node-1' }]);
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
if (!isRoot) reportSkipped('attacks of another local user, which only root can make');

/** Sends requests that fetch does not allow, with any Host, Origin and Sec-Fetch header. */
function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const SENDER = `
  const [, url, token] = process.argv;
  const headers = token ? { authorization: 'Bearer ' + token } : {};
  fetch(url, { method: 'POST', headers, body: process.env.BODY }).then((r) => console.log(r.status));
`;

/** Posts a scenario as another user of this host. */
async function postAsNobody(url: string, token = ''): Promise<number> {
  const child = spawn(process.execPath, ['-e', SENDER, url, token], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    env: { BODY: EMPTY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(line.toString());
}

describe('the listeners of vimana up', () => {
  let up: AttackTarget;
  let at: Listeners;
  beforeAll(async () => {
    up = await vimanaUp('--dialects', 'simulation', '--ephemeral', '--nodes', '1', '--empty').start();
    at = JSON.parse(readFileSync(join(up.folder, 'data', 'running.json'), 'utf8')) as Listeners;
  });
  afterAll(() => up.stop());

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:3000'])(
    'deny a page of %s that sends text, which needs no preflight',
    async (origin) => {
      for (const path of ['/scenario', '/feedback', '/refresh']) {
        const headers = { origin, 'content-type': 'text/plain' };
        expect(await send(`${at.exporter}${path}`, 'POST', headers, EMPTY), path).toBe(403);
      }
    },
  );

  it('deny a page that only sends fetch metadata', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'content-type': 'text/plain' };
    expect(await send(`${at.exporter}/scenario`, 'POST', headers, EMPTY)).toBe(403);
    expect(await send(`${at.exporter}/scenario`, 'GET', headers)).toBe(403);
  });

  it('deny a rebound host name', async () => {
    const host = 'rebound.example.com:8000';
    for (const url of [`${at.exporter}/scenario`, `${at.exporter}/metrics`, at.metrics, at.health]) {
      expect(await send(url, 'GET', { host }), url).toBe(403);
    }
    expect(await send(`${at.exporter}/scenario`, 'POST', { host }, EMPTY)).toBe(403);
  });

  it('require a token for changes by a page of their own origin', async () => {
    const headers = { origin: at.exporter, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    expect(await send(`${at.exporter}/scenario`, 'POST', headers, EMPTY)).toBe(401);
  });

  it.runIf(isRoot)('deny another user of this host without the token', async () => {
    expect(await postAsNobody(`${at.exporter}/scenario`)).toBe(401);
    expect(await postAsNobody(`${at.exporter}/scenario`, 'guessed')).toBe(401);
    const token = readFileSync(at.tokenFile, 'utf8').trim();
    expect(await postAsNobody(`${at.exporter}/scenario`, token)).toBe(200);
  });

  it('accept a token of the cluster if its user is authorized', async () => {
    const account = { metadata: { name: 'driver' } };
    await up.admin.must('POST', '/api/v1/namespaces/default/serviceaccounts', { body: account });
    const path = '/api/v1/namespaces/default/serviceaccounts/driver/token';
    const { status } = (await up.admin.must('POST', path, { body: { spec: {} } })) as { status: { token: string } };
    const post = () =>
      send(`${at.exporter}/scenario`, 'POST', { authorization: `Bearer ${status.token}`, origin: at.exporter }, EMPTY);
    expect(await post()).toBe(403);
    const rules = [{ nonResourceURLs: ['/scenario'], verbs: ['post'] }];
    await up.user('system:serviceaccount:default:driver', { cluster: rules });
    expect(await post()).toBe(200);
    const refresh = { authorization: `Bearer ${status.token}` };
    expect(await send(`${at.exporter}/refresh`, 'POST', refresh)).toBe(403);
  });

  it('deny bodies that are larger than any scenario', async () => {
    const headers = { 'content-length': String(33 * 1024 * 1024) };
    expect(await send(`${at.exporter}/scenario`, 'POST', headers).catch(() => 413)).toBe(413);
  });

  it('accept processes of the same user, as in the guides', async () => {
    expect(await send(`${at.exporter}/scenario`, 'POST', {}, EMPTY)).toBe(200);
    expect(await send(`${at.exporter}/scenario`, 'POST', { host: 'localhost:8000' }, EMPTY)).toBe(200);
    expect((await fetch(`${at.exporter}/scenario`, { method: 'POST', body: EMPTY })).status).toBe(200);
    for (const url of [`${at.exporter}/metrics`, `${at.exporter}/health`, at.metrics, at.health]) {
      expect(await send(url, 'GET', { host: '10.0.0.7:8000' }), url).toBe(200);
    }
  });
});
