import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { discard, type Web, type WebAnswer } from '#vm/images/web';
import { type BasicCredentials, basicAuthorization } from '../credentials.ts';
import { ImageError } from '../image-error.ts';
import { formatOciReference, type OciReference } from '../source/oci-reference.ts';
import { parseChallenge, tokenAddress } from './auth-challenge.ts';
import { type Descriptor, MANIFEST_TYPES, type Manifest, parseManifest } from './manifest.ts';

export interface RegistryAccess {
  readonly web: Web;
  readonly reference: OciReference;
  /** The registry has no TLS. */
  readonly isPlain: boolean;
  readonly credentials?: BasicCredentials | undefined;
}

/** Image for this platform. */
export interface ResolvedImage {
  /** Digest of the manifest. */
  readonly digest: string;
  readonly layers: readonly Descriptor[];
}

const MAX_MANIFEST_BYTES = 4 * 2 ** 20;
/** Indexes may contain indexes, but not without end. */
const MAX_DEPTH = 3;

/** Reads one repository of a registry, anonymously or with credentials, as the registry requires. */
export class RegistryClient {
  readonly #access: RegistryAccess;
  readonly #base: URL;
  #authorization: string | undefined;

  constructor(access: RegistryAccess) {
    this.#access = access;
    const { registry } = access.reference;
    const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
    this.#base = new URL(`${access.isPlain || isLoopback(host) ? 'http' : 'https'}://${host}/`);
  }

  /** Finds the manifest for linux/amd64. All digests are verified. */
  async resolve(signal: AbortSignal): Promise<ResolvedImage> {
    const { tag, digest } = this.#access.reference;
    let [name, expected] = [digest ?? tag ?? 'latest', digest];
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const found = await this.#manifest(name, expected, signal);
      if (found.manifest.kind === 'image') return { digest: found.digest, layers: found.manifest.layers };
      name = expected = found.manifest.chosen.digest;
    }
    throw new ImageError('ErrImagePull', 'the index of the image contains too many others');
  }

  /** Returns the address and headers of a layer. The headers are valid once a manifest has been read. */
  layer({ digest }: Descriptor): { readonly url: string; readonly headers: () => Readonly<Record<string, string>> } {
    return { url: this.#address('blobs', digest), headers: () => this.#headers() };
  }

  async #manifest(
    name: string,
    expected: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly manifest: Manifest; readonly digest: string }> {
    const response = await this.#get(this.#address('manifests', name), signal);
    if (response.status !== 200) {
      await discard(response);
      throw this.#failure(response.status);
    }
    const content = await boundedText(response);
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (expected !== undefined && expected !== digest) {
      throw new ImageError('ChecksumMismatch', `the manifest does not match its digest ${expected}`);
    }
    return { manifest: parseManifest(content), digest };
  }

  async #get(url: string, signal: AbortSignal): Promise<WebAnswer> {
    const { web } = this.#access;
    const options = () => ({ method: 'GET', headers: this.#headers(MANIFEST_TYPES.join(', ')), signal }) as const;
    const response = await web(url, options());
    if (response.status !== 401 || this.#authorization !== undefined) return response;
    await discard(response);
    this.#authorization = await this.#authorize(response.headers.get('www-authenticate'), signal);
    return this.#authorization === undefined ? response : await web(url, options());
  }

  async #authorize(header: string | null, signal: AbortSignal): Promise<string | undefined> {
    const { credentials, reference, web } = this.#access;
    const challenge = parseChallenge(header);
    const basic = credentials === undefined ? undefined : basicAuthorization(credentials);
    if (challenge?.scheme !== 'bearer') return challenge === undefined ? undefined : basic;
    const address = tokenAddress(challenge, this.#base, reference.repository);
    if (address === undefined) return undefined;
    const headers = { accept: 'application/json', ...(basic === undefined ? {} : { authorization: basic }) };
    const response = await web(address, { method: 'GET', headers, signal });
    if (response.status !== 200) {
      await discard(response);
      throw this.#failure(response.status);
    }
    const { token, access_token: other } = JSON.parse(await boundedText(response)) as Record<string, unknown>;
    const given = typeof token === 'string' ? token : other;
    return typeof given === 'string' ? `Bearer ${given}` : undefined;
  }

  #headers(accept?: string): Record<string, string> {
    return {
      ...(accept === undefined ? {} : { accept }),
      ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
    };
  }

  #address(what: 'manifests' | 'blobs', name: string): string {
    return new URL(`v2/${this.#access.reference.repository}/${what}/${name}`, this.#base).href;
  }

  #failure(status: number): ImageError {
    const named = formatOciReference(this.#access.reference);
    if (status === 404) return new ImageError('ErrImagePull', `image ${named} not found`);
    if (status !== 401 && status !== 403) {
      return new ImageError('ErrImagePull', `cannot read image ${named}: the registry returned ${status}`);
    }
    const hint = 'Name a Secret of type kubernetes.io/dockerconfigjson with access to it';
    return new ImageError('ErrImagePull', `image ${named} does not exist or may not be read`, { hint });
  }
}

/** A registry on this host has no certificate, as with Docker. */
function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(host);
}

async function boundedText({ body }: WebAnswer): Promise<string> {
  async function* limitChunks() {
    let bytes = 0;
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_MANIFEST_BYTES) throw new ImageError('ErrImagePull', 'the manifest of the image is too large');
      yield chunk;
    }
  }
  return await text(limitChunks());
}
