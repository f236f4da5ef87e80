import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { loopbackServer } from '#testing/loopback-server';

/** Content of more than one chunk, so that a response can break off within it. */
const CONTENT = Buffer.alloc(300_000, 'an image ');

export const RIGHT = { type: 'sha256', value: createHash('sha256').update(CONTENT).digest('hex') };
export const WRONG = { type: 'sha256', value: 'ab'.repeat(32) };

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/image': (response) => response.end(CONTENT),
  '/moved': (response) => response.writeHead(302, { location: '/image' }).end(),
  '/broken': (response) => {
    response.writeHead(200, { 'content-length': CONTENT.length });
    response.write(CONTENT.subarray(0, 100_000), () => response.destroy());
  },
  '/slow': (response) => {
    response.writeHead(200, { 'content-length': CONTENT.length });
    response.write(CONTENT.subarray(0, 100_000));
  },
  '/endless': (response) => {
    const more = () => response.write(CONTENT, (error) => (error ? undefined : more()));
    more();
  },
};

/** Starts a local server with an image under any name below its path, and with paths that fail as real servers do. */
export async function imageServer() {
  const requested: string[] = [];
  let elsewhere = '/image';
  const server = await loopbackServer(({ method, url = '' }, response) => {
    requested.push(`${method} ${url}`);
    // A kept-alive connection may be closed just when the next request is sent.
    response.setHeader('connection', 'close');
    const answer = ANSWERS[`/${url.split('/')[1]}`];
    if (url === '/away') response.writeHead(302, { location: elsewhere }).end();
    else if (answer === undefined) response.writeHead(404).end('not here');
    else if (method === 'HEAD') response.end();
    else answer(response);
  });
  return {
    ...server,
    asked: requested,
    /** Sets the target of the redirect of /away. */
    moveTo(to: string) {
      elsewhere = to;
    },
  };
}
