import type { Duplex } from 'node:stream';
import type { Vmi } from '#api/kubevirt/resources';
import { type ExtensionAnswer, type ExtensionRequest, UPGRADED } from '#platform/kube/api-extension';
import { requestsWebSocket, type ServeStream } from '#platform/kube/web-socket';
import { badRequest, conflict, notImplemented } from './errors.ts';
import type { GuestAccess } from './guest-access.ts';

/** Subprotocol of KubeVirt: all messages are parts of one stream of bytes. */
const PLAIN_STREAM = 'plain.kubevirt.io';

/** Connects clients to guests. Absent where no node agent can be reached. */
export interface GuestConnections {
  readonly access: GuestAccess;
  readonly serve: ServeStream;
}

/** Connects the sender of a request to the guest of a running instance, by WebSocket. */
export async function connectGuest(
  request: ExtensionRequest,
  instance: Vmi,
  guests: GuestConnections | undefined,
): Promise<ExtensionAnswer> {
  const { resource, subresource } = request;
  const named = `${resource}/${subresource}`;
  assertConnectable(instance, subresource);
  const port = subresource === 'portforward' ? parsePort(request.rest) : undefined;
  if (guests === undefined) throw notImplemented(named);
  if (subresource === 'vnc' && request.rest === 'screenshot') return png(await guests.access.screenshot(instance));
  if (!requestsWebSocket(request)) {
    throw badRequest(`${named} needs a WebSocket connection over HTTP/1.1 with the subprotocol ${PLAIN_STREAM}`);
  }
  const { access, serve } = guests;
  const guest: Duplex = await (port === undefined
    ? access.open(instance, subresource as 'console' | 'vnc')
    : access.connect(instance, port));
  await serve(request, [PLAIN_STREAM], guest);
  return UPGRADED;
}

function png(picture: Uint8Array): ExtensionAnswer {
  const pieces = (async function* () {
    yield picture;
  })();
  return { status: 200, type: 'image/png', pieces };
}

function assertConnectable({ metadata, spec, status }: Vmi, subresource: string): void {
  const { autoattachSerialConsole, autoattachGraphicsDevice } = spec.domain.devices ?? {};
  if (subresource === 'console' && autoattachSerialConsole === false)
    throw badRequest('No serial consoles are present.');
  if (subresource === 'vnc' && autoattachGraphicsDevice === false) throw badRequest('No graphics devices are present.');
  const subject = { kind: 'virtualmachineinstance', name: metadata.name } as const;
  if (status?.phase !== 'Running') throw conflict(subject, 'VMI is not running');
}

/** Parses `PORT` or `PORT/PROTOCOL`, the path after the subresource. */
function parsePort(rest: string): number {
  const [, digits = '', protocol = 'tcp'] = /^(\d{1,5})(?:\/([a-z]+))?$/i.exec(rest) ?? [];
  const port = Number(digits);
  if (port < 1 || port > 65_535)
    throw badRequest(`portforward needs a port from 1 to 65535 in its path, not "${rest}"`);
  if (protocol !== 'tcp') throw notImplemented(`port-forward by ${protocol}`);
  return port;
}
