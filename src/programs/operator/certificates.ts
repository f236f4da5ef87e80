import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { isConflict, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Runnable } from '#platform/runtime/runnable';
import { poll } from './poll.ts';
import { fitCertificate, type ServingCertificate } from './serving-certificate.ts';

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const SECRETS = resourceType<Secret>('v1', 'Secret', 'secrets');

/** Certificate and key of a server. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
  /** CA that clients must trust. Absent if it is distributed in another way. */
  readonly ca?: string;
}

/** Keeps the certificate of the server current. */
export interface Certificates extends Runnable {
  /** Undefined until there is a certificate. */
  readonly current: Credentials | undefined;
}

export interface CertificateDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: (credentials: Credentials) => void;
}

/**
 * Shares a certificate with other replicas through a Secret: the process that finds it missing or about to expire
 * writes a new one. Without such a Secret nothing is shared, and no client is told which CA to trust.
 */
export function sharedCertificates(
  parts: CertificateDeps & { readonly client: Client },
  secret: { readonly namespace: string; readonly name: string },
  names: readonly string[],
): Certificates {
  const { client, clock, log } = parts;
  let alone: ServingCertificate | undefined;

  async function look(signal: AbortSignal): Promise<Credentials> {
    let found: Secret;
    try {
      found = await client.get(SECRETS, secret.name, { namespace: secret.namespace, signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (alone === undefined)
        log.warn({ name: secret.name }, 'no Secret to share a certificate; using an unshared one');
      alone = fitCertificate(alone ?? {}, names, clock.now());
      return { cert: alone.cert, key: alone.key };
    }
    const stored = fromData(found.data ?? {});
    const fit = fitCertificate(stored, names, clock.now());
    if (fit.cert !== stored.cert || fit.ca !== stored.ca) {
      await client.update(SECRETS, { ...found, data: { ...found.data, ...toData(fit) } }, { signal });
      log.info({ name: secret.name }, 'issued a certificate');
    }
    return { cert: fit.cert, key: fit.key, ca: fit.ca };
  }
  return keepCurrent(parts, look);
}

/** Reads a certificate from a directory, where for example cert-manager puts it through a Secret. */
export function directoryCertificates(parts: CertificateDeps, directory: string): Certificates {
  return keepCurrent(parts, async () => {
    const [cert, key] = await Promise.all(
      ['tls.crt', 'tls.key'].map((name) => readFile(join(directory, name), 'utf8')),
    );
    return { cert: cert ?? '', key: key ?? '' };
  });
}

function keepCurrent(
  { clock, log, onChange }: CertificateDeps,
  look: (signal: AbortSignal) => Promise<Credentials>,
): Certificates {
  let current: Credentials | undefined;
  return {
    name: 'certificates',
    get current() {
      return current;
    },
    run: (signal) =>
      poll(
        clock,
        signal,
        async () => {
          const found = await look(signal);
          if (found.cert !== current?.cert || found.ca !== current.ca) onChange(found);
          current = found;
        },
        (error) => {
          // If several processes issue at once, the first wins and the others read what it wrote.
          if (!isConflict(error)) log.warn({ err: error }, 'cannot get a certificate; retrying');
        },
      ),
  };
}

const KEYS = { ca: 'ca.crt', caKey: 'ca.key', cert: 'tls.crt', key: 'tls.key' } as const;
const FIELDS = Object.entries(KEYS) as [keyof ServingCertificate, string][];

function fromData(data: Readonly<Record<string, string>>): Partial<ServingCertificate> {
  const found = FIELDS.flatMap(([field, key]) => {
    const text = data[key];
    return text === undefined || text === '' ? [] : [[field, Buffer.from(text, 'base64').toString('utf8')]];
  });
  return Object.fromEntries(found) as Partial<ServingCertificate>;
}

function toData(certificate: ServingCertificate): Record<string, string> {
  return Object.fromEntries(FIELDS.map(([field, key]) => [key, Buffer.from(certificate[field]).toString('base64')]));
}
