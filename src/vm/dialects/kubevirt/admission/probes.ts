import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { append } from '#platform/base/append';
import { type FieldError, forbidden, invalid, required } from '#platform/base/field-error';
import { hasPodNetwork } from './networks.ts';

type Probe = NonNullable<InstanceSpec['readinessProbe']>;

const HANDLERS = ['httpGet', 'tcpSocket', 'exec', 'guestAgentPing'] as const;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*$/;

export function validateProbe(spec: InstanceSpec, path: string): FieldError[] {
  const { livenessProbe, readinessProbe, startStrategy } = spec;
  if (livenessProbe === undefined && readinessProbe === undefined) return [];
  const reachable = hasPodNetwork(spec);
  const causes = [
    ...validateOneProbe(livenessProbe, `${path}.livenessProbe`, reachable),
    ...validateOneProbe(readinessProbe, `${path}.readinessProbe`, reachable),
  ];
  const successes = livenessProbe?.successThreshold ?? 1;
  if (successes > 1) causes.push(invalid(`${path}.livenessProbe.successThreshold`, successes, 'must be 1'));
  if (livenessProbe !== undefined && startStrategy === 'Paused') {
    causes.push(invalid(`${path}.startStrategy`, startStrategy, 'Pausing VMI with LivenessProbe is not supported'));
  }
  return causes;
}

function validateOneProbe(probe: Probe | undefined, at: string, reachable: boolean): FieldError[] {
  if (probe === undefined) return [];
  const handlers = HANDLERS.filter((handler) => probe[handler] !== undefined);
  if (handlers.length === 0) return [required(at, `must have exactly one probe type set: ${HANDLERS.join(', ')}`)];
  if (handlers.length > 1) return [invalid(at, handlers.join(', '), 'must have exactly one probe type set')];
  const { httpGet, tcpSocket, exec } = probe;
  const causes: FieldError[] = [];
  if (httpGet !== undefined) append(causes, validatePort(`${at}.httpGet`, httpGet.port, reachable));
  if (tcpSocket !== undefined) append(causes, validatePort(`${at}.tcpSocket`, tcpSocket.port, reachable));
  if (exec !== undefined && (exec.command ?? []).length === 0) causes.push(required(`${at}.exec.command`));
  return causes;
}

function validatePort(at: string, port: string | number, reachable: boolean): FieldError[] {
  const causes: FieldError[] = [];
  if (!reachable) causes.push(forbidden(at, 'is only allowed if the Pod Network is attached'));
  if (typeof port === 'number' && (port < 1 || port > 65535)) {
    causes.push(invalid(`${at}.port`, port, 'must be between 1 and 65535, inclusive'));
  }
  if (typeof port === 'string' && (port.length > 15 || !PORT_NAME.test(port))) {
    const detail =
      'must be a number, or a name of at most 15 lower case letters, digits and dashes with a letter in it';
    causes.push(invalid(`${at}.port`, port, detail));
  }
  return causes;
}
