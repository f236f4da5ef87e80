import type { Random } from '#platform/base/random';
import type { FuzzRequest } from './fuzz-request.ts';

type Spelled = Omit<FuzzRequest, 'user' | 'protocol'>;

/** Headers that tell some servers that a request is another one, or of another user. */
const TREACHEROUS: readonly (readonly [string, string])[] = [
  ['x-http-method-override', 'GET'],
  ['x-original-url', '/api/v1/secrets'],
  ['x-rewrite-url', '/api/v1/secrets'],
  ['x-remote-user', 'admin'],
  ['x-remote-group', 'system:masters'],
  ['x-forwarded-user', 'admin'],
  ['x-forwarded-for', '127.0.0.1'],
  ['forwarded', 'for=127.0.0.1'],
  ['authorization', 'Bearer system:masters'],
  [':scheme', 'http'],
];

/**
 * Returns the same request in an odd spelling. If authorization and routing parse a path differently, one of them can
 * be deceived. The model parses the spelling as Kubernetes does.
 */
export function oddlySpelled(random: Random, request: Spelled): Spelled {
  const mark = request.target.indexOf('?');
  const path = mark < 0 ? request.target : request.target.slice(0, mark);
  const query = mark < 0 ? '' : request.target.slice(mark);
  const odd = { ...request, wellFormed: false };
  switch (random.int(0, 10)) {
    case 0:
      return { ...odd, target: encodedSomewhere(random, path) + query };
    case 1:
      return { ...odd, target: encodedSlash(random, path) + query };
    case 2:
      return { ...odd, target: inserted(random, path, '/') + query };
    case 3:
      return { ...odd, target: `${path}/${query}` };
    case 4:
      return { ...odd, target: otherCase(random, path) + query };
    case 5:
      return { ...odd, target: inserted(random, path, random.pick(['/.', '/..', '/%2e%2e', '/%2E'])) + query };
    case 6:
      return {
        ...odd,
        method: random.pick(['get', 'Get', 'OPTIONS', 'PROPFIND', 'HEAD', 'QUERY']),
        body: Buffer.alloc(0),
      };
    case 7:
      return { ...odd, headers: [...request.headers, random.pick(TREACHEROUS)] };
    case 8:
      return {
        ...odd,
        target: inserted(random, path, random.pick(['%00', ';a=b', '%20', '%3F', '%23', '%5c'])) + query,
      };
    case 9:
      return { ...odd, target: `https://127.0.0.1${path}${query}` };
    default:
      return { ...odd, target: `${path}${query}${query === '' ? '?' : '&'}${random.pick(QUERIES)}` };
  }
}

const QUERIES = [
  'watch=0&watch=1',
  'namespace=kube-system',
  'fieldSelector=metadata.name=o1',
  'dryRun=All',
  'pretty=1',
];

function encodedSomewhere(random: Random, path: string): string {
  const at = random.int(0, path.length - 1);
  const letter = path[at] ?? '';
  if (letter === '/' || letter === '%') return path;
  const code = letter.charCodeAt(0).toString(16).padStart(2, '0');
  return `${path.slice(0, at)}%${random.next() < 0.5 ? code : code.toUpperCase()}${path.slice(at + 1)}`;
}

/** Positions of slashes other than the first. */
function slashesOf(path: string): number[] {
  return [...path.matchAll(/\//g)].map(({ index }) => index).filter((index) => index > 0);
}

function encodedSlash(random: Random, path: string): string {
  const slashes = slashesOf(path);
  if (slashes.length === 0) return path;
  const at = random.pick(slashes);
  return `${path.slice(0, at)}%2${random.pick(['f', 'F'])}${path.slice(at + 1)}`;
}

function inserted(random: Random, path: string, text: string): string {
  const at = random.pick([...slashesOf(path), 0, path.length]);
  return path.slice(0, at) + (at === 0 && !text.startsWith('/') ? '' : text) + path.slice(at);
}

function otherCase(random: Random, path: string): string {
  const segments = path.split('/');
  const at = random.int(0, segments.length - 1);
  const segment = segments[at] ?? '';
  segments[at] = random.next() < 0.5 ? segment.toUpperCase() : segment.charAt(0).toUpperCase() + segment.slice(1);
  return segments.join('/');
}
