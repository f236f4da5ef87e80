import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import { FakeClock } from '#platform/base/fake-clock';
import type { Machine, MachineDriver } from '../machine-driver.ts';
import { RealProbes, unsupportedProbes } from './real-probes.ts';

const instanceWith = (spec: object) => ({ metadata: { uid: 'm' }, spec }) as unknown as Vmi;
const machine = { spec: { id: 'm' }, state: 'running' } as unknown as Machine;

/** Returns a connection on which every request gets a status. */
function serverWith(status: number): Duplex {
  return new Duplex({
    read: () => undefined,
    write(_chunk, _encoding, done) {
      this.push(`HTTP/1.1 ${status} said\r\n\r\n`);
      done();
    },
  });
}

/** Guest whose port accepts connections, and answers HTTP requests with a status, as long as `status` is set. */
function setup(spec: object) {
  const guest: { status: number | undefined } = { status: undefined };
  const driver = {
    inspect: () => Promise.resolve(machine),
    connect: () =>
      guest.status === undefined
        ? Promise.reject(new Error('connection refused'))
        : Promise.resolve(serverWith(guest.status)),
  } as unknown as MachineDriver;
  const clock = new FakeClock();
  const changes: string[] = [];
  const probes = new RealProbes({ clock, onChange: (node, id) => changes.push(`${node}/${id}`) });
  const instance = instanceWith(spec);
  probes.attend(instance, 'n', machine, driver);
  return { guest, clock, probes, instance, changes };
}

it('reports a guest as ready once its port accepts connections, and until it fails often enough', async () => {
  const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 5, failureThreshold: 2 };
  const { guest, clock, probes, instance, changes } = setup({ readinessProbe });
  await clock.advance(5_000);
  expect(probes.answers(instance)).toEqual({ ready: false, alive: true });
  guest.status = 200;
  await clock.advance(5_000);
  expect(probes.answers(instance).ready).toBe(true);
  expect(changes).toEqual(['n/m']);
  guest.status = undefined;
  await clock.advance(5_000);
  expect(probes.answers(instance).ready).toBe(true);
  await clock.advance(5_000);
  expect(probes.answers(instance).ready).toBe(false);
});

it('reports a guest as unhealthy from the first failed request to the next successful one', async () => {
  const livenessProbe = { httpGet: { port: 80, path: '/healthy' }, initialDelaySeconds: 10 };
  const { guest, clock, probes, instance } = setup({ livenessProbe });
  await clock.advance(9_000);
  expect(probes.answers(instance).alive).toBe(true);
  guest.status = 503;
  await clock.advance(1_000);
  expect(probes.answers(instance).alive).toBe(false);
  guest.status = 204;
  await clock.advance(10_000);
  expect(probes.answers(instance).alive).toBe(true);
});

it.each([
  [{ readinessProbe: { tcpSocket: { port: 22 } }, livenessProbe: { httpGet: { port: '80' } } }, []],
  [{ readinessProbe: { exec: { command: ['true'] } } }, ['spec.readinessProbe: exec']],
  [{ livenessProbe: { guestAgentPing: {} } }, ['spec.livenessProbe: guestAgentPing']],
  [
    { livenessProbe: { tcpSocket: { port: 'ssh', host: '10.0.0.1' } } },
    ['host', 'port by name'].map((field) => `spec.livenessProbe: ${field}`),
  ],
  [{ livenessProbe: { httpGet: { port: 443, scheme: 'HTTPS' } } }, ['spec.livenessProbe: scheme HTTPS']],
])('rejects by name what it cannot probe: %j', (spec, fields) => {
  expect(unsupportedProbes(instanceWith(spec))).toEqual(fields);
});
