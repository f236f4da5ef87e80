import type { ImageCredentials } from './image-request.ts';

/**
 * Reads the credentials in a Secret by the keys that are customary: .dockerconfigjson of a pull secret, accessKeyId and
 * secretKey as in CDI (or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), username and password, token, endpoint, region.
 */
export function imageCredentials(data: Readonly<Record<string, Buffer>>): ImageCredentials {
  const text = (...names: string[]) => {
    const found = names.map((name) => data[name]).find((value) => value !== undefined);
    return found?.toString('utf8').trim();
  };
  const dockerConfig = text('.dockerconfigjson');
  const bearer = text('token');
  const id = text('accessKeyId', 'AWS_ACCESS_KEY_ID');
  const secret = text('secretKey', 'AWS_SECRET_ACCESS_KEY');
  const [username, password] = [text('username') ?? id, text('password') ?? secret];
  const session = text('sessionToken', 'AWS_SESSION_TOKEN');
  const [endpoint, region] = [text('endpoint'), text('region', 'AWS_REGION')];
  const keys =
    id === undefined || secret === undefined
      ? {}
      : {
          keys: {
            accessKeyId: id,
            secretAccessKey: secret,
            ...(session === undefined ? {} : { sessionToken: session }),
          },
        };
  return {
    ...(dockerConfig === undefined ? {} : { dockerConfig }),
    ...(bearer === undefined ? {} : { bearer }),
    // As in CDI, the keys of S3 are user and password of a web server.
    ...(username === undefined || password === undefined ? {} : { basic: { username, password } }),
    s3: { ...keys, ...(endpoint === undefined ? {} : { endpoint }), ...(region === undefined ? {} : { region }) },
  };
}
