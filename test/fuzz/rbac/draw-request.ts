import type { Random } from '#platform/base/random';
import { drawObjectRequest } from './draw-objects.ts';
import { asSomebodyElse, drawCertificateRequest, drawPathRequest, drawReview } from './draw-others.ts';
import { drawRbacWrite } from './draw-rbac.ts';
import { CERTIFICATE_REQUESTS } from './fuzz-kinds.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import type { UserKind } from './grants.ts';
import type { Lane } from './lane.ts';
import { oddlySpelled } from './spellings.ts';

/** Draws the next request of a lane. It depends only on the seed, not on earlier responses. */
export function drawRequest(random: Random, lane: Lane, requestPem: string): FuzzRequest {
  const sort = random.next();
  let drawn: Omit<FuzzRequest, 'user' | 'protocol'>;
  if (sort < 0.66) drawn = drawObjectRequest(random, lane);
  else if (sort < 0.82) drawn = drawRbacWrite(random, lane);
  else if (sort < 0.88) drawn = drawReview(random, lane);
  else if (sort < 0.94) drawn = drawPathRequest(random);
  else drawn = drawCertificateRequest(random, lane, requestPem);
  if (random.next() < 0.06) drawn = asSomebodyElse(random, lane, drawn);
  if (random.next() < 0.18) drawn = oddlySpelled(random, drawn);
  const user = lane.user(drawUser(random, lane, drawn));
  // HTTP/2 cannot carry the absolute form of a path, and a watch over HTTP/1.1 cannot be canceled.
  const isHttp2 = drawn.readUntil !== undefined || random.next() < 0.7;
  if (isHttp2 && drawn.target.startsWith('http'))
    drawn = { ...drawn, target: drawn.target.replace(/^https?:\/\/[^/]*/, '') };
  // A service account already sends a token.
  const isSent = (name: string) => name !== 'authorization' || user.kind !== 'account';
  const headers = drawn.headers.filter(([name]) => isSent(name) && (isHttp2 || !name.startsWith(':')));
  return { ...drawn, headers, user, protocol: isHttp2 ? 'HTTP/2' : 'HTTP/1.1' };
}

const ALL_USERS: readonly UserKind[] = ['nobody', 'viewer', 'editor', 'limited', 'granter', 'lister', 'account'];

/** Any user may send any request, but users with the permission do so more often. */
function drawUser(
  random: Random,
  { names }: Lane,
  { rbac, target, kind }: Pick<FuzzRequest, 'rbac' | 'target' | 'kind'>,
): UserKind {
  if (random.next() < 0.25) return random.pick(ALL_USERS);
  if (rbac !== undefined) return random.pick<UserKind>(['granter', 'granter', 'granter', 'limited']);
  if (kind === CERTIFICATE_REQUESTS) return random.pick<UserKind>(['limited', 'lister']);
  if (target.includes(names.home))
    return random.pick<UserKind>(['editor', 'editor', 'editor', 'limited', 'limited', 'viewer']);
  if (target.includes(names.foreign))
    return random.pick<UserKind>(['account', 'account', 'lister', 'granter', 'editor']);
  return random.pick(ALL_USERS);
}
