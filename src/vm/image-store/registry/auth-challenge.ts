/** Credentials that a registry requires, from the header WWW-Authenticate. */
export type AuthChallenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

/** Parses the challenge of a registry. Returns undefined if there is none that is supported. */
export function parseChallenge(header: string | null): AuthChallenge | undefined {
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' };
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  const words = new Map<string, string>();
  for (const [, name = '', quoted, bare] of rest.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)) {
    words.set(name.toLowerCase(), quoted ?? bare ?? '');
  }
  const [realm, service, scope] = [words.get('realm'), words.get('service'), words.get('scope')];
  if (realm === undefined) return undefined;
  return {
    scheme: 'bearer',
    realm,
    ...(service === undefined ? {} : { service }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** Returns the address of a token, or undefined if the registry names none that may be used. */
export function tokenAddress(
  { realm, service, scope }: Extract<AuthChallenge, { scheme: 'bearer' }>,
  registry: URL,
  repository: string,
): string | undefined {
  const url = URL.parse(realm);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  // Credentials leave the process encrypted wherever those of the registry itself do.
  if (registry.protocol === 'https:' && url.protocol !== 'https:') return undefined;
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope ?? `repository:${repository}:pull`);
  return url.href;
}
