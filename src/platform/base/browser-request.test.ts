import { describe, expect, it } from 'vitest';
import { type HeaderValues, isCrossOrigin, isFromBrowser } from './browser-request.ts';

const host = '127.0.0.1:8000';

describe('a request', () => {
  it.each<[who: string, headers: HeaderValues, browser: boolean]>([
    ['curl', {}, false],
    ["Node's fetch", { 'sec-fetch-mode': 'cors' }, false],
    ['a form', { origin: 'https://evil.example' }, true],
    ['a sandboxed frame', { origin: 'null' }, true],
    ['a fetch of our own page', { origin: `http://${host}` }, true],
    ['an image of a page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, true],
    ['a browser with few headers', { 'sec-fetch-mode': 'no-cors' }, true],
    ['a browser with sec-fetch-dest', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, true],
  ])('of %s is recognized as one of a browser or not', (_who, headers, browser) => {
    expect(isFromBrowser({ host, ...headers })).toBe(browser);
  });
});

const OPENED = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('a cross-origin request', () => {
  it.each<[method: string, headers: HeaderValues, crosses: boolean]>([
    ['GET', {}, false],
    ['POST', { 'sec-fetch-mode': 'cors' }, false],
    ['POST', { origin: 'https://evil.example' }, true],
    ['GET', { origin: 'https://evil.example' }, true],
    ['GET', { origin: 'null' }, true],
    ['GET', { origin: '' }, true],
    ['GET', { origin: `file://${host}` }, true],
    ['GET', { origin: [`http://${host}`, 'http://evil.example'] }, true],
    ['GET', { origin: 'http://127.0.0.1:3000' }, true],
    ['GET', { origin: 'http://127.0.0.1:8000.evil.example' }, true],
    ['POST', { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, false],
    ['POST', { origin: `https://${host}` }, false],
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, true],
    ['GET', { 'sec-fetch-site': 'same-site' }, true],
    ['GET', { 'sec-fetch-site': 'cross-site', ...OPENED }, false],
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, true],
    ['POST', { 'sec-fetch-site': 'cross-site', ...OPENED }, true],
    ['GET', { 'sec-fetch-site': 'none', ...OPENED }, false],
  ])('is recognized in %s %o: %s', (method, headers, crosses) => {
    expect(isCrossOrigin(method, { host, ...headers })).toBe(crosses);
  });

  it('is recognized by the port, which browsers omit if it is the default', () => {
    expect(isCrossOrigin('GET', { host: 'a.example', origin: 'http://a.example' })).toBe(false);
    expect(isCrossOrigin('GET', { host: 'a.example:80', origin: 'http://a.example' })).toBe(false);
    expect(isCrossOrigin('GET', { host: 'a.example', origin: 'http://a.example:81' })).toBe(true);
    expect(isCrossOrigin('GET', { host: 'A.example', origin: 'http://a.example' })).toBe(false);
  });
});
