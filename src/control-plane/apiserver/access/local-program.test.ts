import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasKubectl, reportSkipped } from '#testing/programs';
import { startControlPlane } from '../control-plane.ts';
import { kubectlWith } from '../http/kubectl.fixture.ts';
import { isLoopback } from './local-program.ts';

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.0.0.1.example.com', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

async function started(options: object) {
  const plane = await startControlPlane({ insecure: true, ...options });
  onTestFinished(() => plane.stop());
  return plane;
}

/** Returns the status of a request for namespaces with these headers, which fetch would not send as they are. */
function codeFor(url: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1/namespaces`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const isRoot = process.getuid?.() === 0;
if (!isRoot) reportSkipped('requests of another user, which only root can make');

/** Returns the status of a request by another user of this host. */
async function codeForNobody(url: string): Promise<number> {
  const ask = `fetch('${url}/api/v1/namespaces').then((answer) => console.log(answer.status))`;
  const child = spawn(process.execPath, ['-e', ask], { uid: 65_534, gid: 65_534, cwd: '/', env: {} });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(line.toString());
}

describe('over plain HTTP', () => {
  test('a local program needs no credentials if local programs are trusted', async () => {
    const { url, adminToken } = await started({ trustsLocalPrograms: true });
    expect(await codeFor(url)).toBe(200);
    expect(await codeFor(url, { authorization: `Bearer ${adminToken}` })).toBe(200);
    expect(await codeFor(url, { authorization: 'Bearer wrong' })).toBe(401);
  });

  test('a cross-origin request, or one to another host name, is anonymous', async () => {
    const { url } = await started({ trustsLocalPrograms: true });
    expect(await codeFor(url, { origin: 'http://example.com' })).toBe(403);
    expect(await codeFor(url, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await codeFor(url, { host: 'rebound.example.com' })).toBe(403);
  });

  test.runIf(isRoot)('a program of another user is anonymous', async () => {
    const { url } = await started({ trustsLocalPrograms: true });
    expect(await codeForNobody(url)).toBe(403);
  });

  test('no program is trusted by default, nor if the server listens on more than loopback', async () => {
    expect(await codeFor((await started({})).url)).toBe(403);
    const { port } = await started({ trustsLocalPrograms: true, host: '0.0.0.0' });
    expect(await codeFor(`http://127.0.0.1:${port}`)).toBe(403);
  });

  test.runIf(hasKubectl())('kubectl is accepted, although it sends no credentials over plain HTTP', async () => {
    const { url, adminToken } = await started({ trustsLocalPrograms: true });
    const kubectl = kubectlWith({ name: 'x', server: url, token: adminToken });
    onTestFinished(() => kubectl.close());
    const { code, out, err } = await kubectl.run('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}');
    expect([code, out, err]).toEqual([0, 'kubernetes-admin', '']);
  });
});
