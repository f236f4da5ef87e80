/** User and password for a server. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Keys for S3. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Access to S3 or a server that is compatible with it. Without keys, buckets are read anonymously. */
export interface S3Access {
  readonly keys?: S3Keys;
  /** Address of the server. Defaults to that of AWS in the region. */
  readonly endpoint?: string;
  readonly region?: string;
}

/** Returns the Authorization header for a user and password. */
export function basicAuthorization({ username, password }: BasicCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
