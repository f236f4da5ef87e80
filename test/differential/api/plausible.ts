import type { Random } from '#platform/base/random';

const VALUES: readonly unknown[] = [
  ...['', 'a', 'A_b', 'a.b', 'a-b', '-a', 'a/b', 'a/b/c', ' a', 'x'.repeat(64), 'x'.repeat(254), 'http', 'TCP', 'None'],
  ...['1', '-1', '0', '10%', '101%', '1Gi', '1.5', '100m', '-5m', '1e3', 'abc', '10.0.0.1', '10.0.0.0/8', 'fd00::1'],
  ...['Always', 'Never', 'Exists', 'In', 'NoSchedule', 'IfNotPresent', 'metadata.name', '2026-01-01T00:00:00Z', '5s'],
  ...[0, 1, -1, 2, 80, 65_535, 65_536, 100_001, 2_147_483_648, 1.5, true, false, null, [], {}],
];

/** Returns a copy with one to three changes that a user could have made. The fuzz test makes arbitrary changes. */
export function corrupted<T>(random: Random, value: T): T {
  const copy = structuredClone(value);
  for (let left = random.int(1, 3); left > 0; left--) spoilOnce(random, copy);
  return copy;
}

export function plausible(random: Random): unknown {
  return random.pick(VALUES);
}

function spoilOnce(random: Random, root: unknown): void {
  let place = root as Record<string, unknown>;
  for (;;) {
    const keys = Object.keys(place).filter((key) => place !== root || (key !== 'apiVersion' && key !== 'kind'));
    if (keys.length === 0) return;
    const key = random.pick(keys);
    const inner = place[key];
    const isObject = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
    if (isObject && random.next() < 0.85) {
      place = inner as Record<string, unknown>;
      continue;
    }
    change(random, place, key);
    return;
  }
}

function change(random: Random, place: Record<string, unknown>, key: string): void {
  const action = random.int(0, 9);
  if (Array.isArray(place)) {
    if (action < 2) place.push(structuredClone(place[Number(key)]));
    else if (action === 2) place.splice(Number(key), 1);
    else place[Number(key)] = likeIt(random, place[Number(key)]);
  } else if (action === 0) delete place[key];
  else if (action === 1) place[`${key}x`] = place[key];
  else place[key] = likeIt(random, place[key]);
}

/** Most values have the same type, so that they pass decoding and reach the validation of the kind. */
function likeIt(random: Random, value: unknown): unknown {
  if (random.next() < 0.2) return plausible(random);
  const alike = VALUES.filter((other) => typeof other === typeof value && other !== null && !Array.isArray(other));
  return alike.length === 0 ? plausible(random) : random.pick(alike);
}
