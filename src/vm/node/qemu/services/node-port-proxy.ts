import { createServer, type Server, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import type { Logger } from '#platform/base/logger';
import { SERVICES } from '#platform/kube/kinds/core';
import { ENDPOINT_SLICES } from '#platform/kube/kinds/network';
import { PODS } from '#platform/kube/kinds/pod';
import type { Informers } from '#platform/runtime/informers';
import { keyIn } from '#platform/runtime/key';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { type NodePort, nodePortsOf, type ServiceTarget, serviceTargets } from './service-targets.ts';

export interface NodePortProxyDeps {
  readonly informers: Informers;
  readonly log: Logger;
  /** Connects to a guest. Undefined for a node without real machines. */
  readonly connect: (target: ServiceTarget) => Promise<Duplex> | undefined;
}

interface Listener {
  readonly server: Server;
  readonly sockets: Set<Socket>;
  port: NodePort;
}

/**
 * Makes Services of type NodePort and LoadBalancer reachable on the loopback interface of the host, as kube-proxy does
 * with `--nodeport-addresses 127.0.0.1/32`. Each connection goes to the next guest behind the Service.
 */
export class NodePortProxy implements Runnable {
  readonly name = 'node port proxy';
  readonly #deps: NodePortProxyDeps;
  readonly #listeners = new Map<number, Listener>();
  #turn = 0;

  constructor(deps: NodePortProxyDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#deps;
    const services = informers.of(SERVICES);
    const sources = [services, informers.of(ENDPOINT_SLICES), informers.of(PODS)];
    const stop = services.onChange(() => this.#sync());
    await Promise.race([Promise.all(sources.map(({ synced }) => synced)), waitForAbort(signal)]);
    if (!signal.aborted) this.#sync();
    await waitForAbort(signal);
    stop();
    for (const port of [...this.#listeners.keys()]) this.#close(port);
  }

  #sync(): void {
    const ports = [...this.#deps.informers.of(SERVICES).cache.all()].flatMap(nodePortsOf);
    const desired = new Map(ports.map((port) => [port.nodePort, port]));
    for (const port of [...this.#listeners.keys()]) if (!desired.has(port)) this.#close(port);
    for (const port of desired.values()) {
      const listener = this.#listeners.get(port.nodePort);
      if (listener === undefined) this.#listen(port);
      else listener.port = port;
    }
  }

  #listen(port: NodePort): void {
    const { log } = this.#deps;
    const server = createServer({ allowHalfOpen: true });
    const listener: Listener = { server, sockets: new Set(), port };
    this.#listeners.set(port.nodePort, listener);
    server.on('connection', (socket) => {
      listener.sockets.add(socket);
      socket.once('close', () => listener.sockets.delete(socket)).on('error', () => socket.destroy());
      void this.#forward(socket, listener.port);
    });
    server.on('error', (error) => {
      log.warn({ err: error, service: `${port.namespace}/${port.service}`, port: port.nodePort }, 'cannot listen');
      this.#listeners.delete(port.nodePort);
    });
    server.listen(port.nodePort, '127.0.0.1');
  }

  async #forward(socket: Socket, port: NodePort): Promise<void> {
    const { informers, connect, log } = this.#deps;
    const pods = informers.of(PODS).cache;
    const slices = informers.of(ENDPOINT_SLICES).cache.inNamespace(port.namespace);
    const targets = serviceTargets(port, slices, (name) => pods.get(keyIn(port.namespace, name)));
    for (let tries = 0; tries < targets.length; tries++) {
      const target = targets[this.#turn++ % targets.length];
      const guest = target === undefined ? undefined : await connect(target)?.catch(() => undefined);
      if (guest === undefined) continue;
      pipeline(socket, guest, () => undefined);
      pipeline(guest, socket, () => undefined);
      return;
    }
    log.debug({ service: `${port.namespace}/${port.service}` }, 'no guest accepts connections to a Service');
    socket.resetAndDestroy();
  }

  #close(port: number): void {
    const listener = this.#listeners.get(port);
    this.#listeners.delete(port);
    listener?.server.close();
    for (const socket of listener?.sockets ?? []) socket.destroy();
  }
}
