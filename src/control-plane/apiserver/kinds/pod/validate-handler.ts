import { append } from '#platform/base/append';
import { type FieldError, forbidden, invalid, required } from '#platform/base/field-error';
import { validateNotNegative, validateOneOf, validatePortNumber, validatePortReference } from '../field-checks.ts';
import type { Container, Handler, HttpGet, Probe } from './pod-spec.ts';

const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** Validates a handler, which must specify exactly one action. */
function validateHandler(field: string, handler: Handler, graceSeconds: number | undefined): FieldError[] {
  const causes: FieldError[] = [];
  let found = 0;
  const take = (name: string, check: (at: string) => FieldError[]) => {
    found++;
    if (found > 1) causes.push(forbidden(`${field}.${name}`, 'may not specify more than 1 handler type'));
    else append(causes, check(`${field}.${name}`));
  };
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined) take('exec', (at) => ((exec.command ?? []).length === 0 ? [required(`${at}.command`)] : []));
  if (httpGet !== undefined) take('httpGet', (at) => validateHttpGet(at, httpGet));
  if (tcpSocket !== undefined) take('tcpSocket', (at) => validatePortReference(`${at}.port`, tcpSocket.port));
  if (grpc !== undefined) take('grpc', (at) => validatePortNumber(`${at}.port`, grpc.port));
  if (sleep !== undefined) take('sleep', (at) => validateSleep(at, sleep.seconds ?? 0, graceSeconds));
  if (found === 0) causes.push(required(field, 'must specify a handler type'));
  return causes;
}

function validateSleep(field: string, seconds: number, graceSeconds = 0): FieldError[] {
  if (seconds >= 0 && (seconds < graceSeconds || seconds === 0)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(field, seconds, detail)];
}

function validateHttpGet(field: string, { path = '', port, scheme, httpHeaders = [] }: HttpGet): FieldError[] {
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validatePortReference(`${field}.port`, port),
    ...validateOneOf(`${field}.scheme`, scheme, ['HTTP', 'HTTPS']),
    ...httpHeaders
      .filter(({ name = '' }) => !/^[-A-Za-z0-9]+$/.test(name))
      .map(({ name = '' }) => invalid(`${field}.httpHeaders`, name, HEADER)),
  ];
}

function validateProbe(field: string, probe: Probe, graceSeconds: number | undefined): FieldError[] {
  const causes = validateHandler(field, probe, graceSeconds);
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    append(causes, validateNotNegative(`${field}.${name}`, probe[name]));
  }
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    causes.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  }
  return causes;
}

/** Validates the lifecycle hooks and probes of a container. */
export function validateLifecycle(field: string, container: Container, graceSeconds: number | undefined): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const causes: FieldError[] = [];
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = lifecycle?.[hook];
    if (handler !== undefined) append(causes, validateHandler(`${field}.lifecycle.${hook}`, handler, graceSeconds));
  }
  if (livenessProbe !== undefined) {
    append(causes, validateProbe(`${field}.livenessProbe`, livenessProbe, graceSeconds));
    append(causes, onlyOnce(`${field}.livenessProbe`, livenessProbe));
  }
  if (readinessProbe !== undefined) {
    append(causes, validateProbe(`${field}.readinessProbe`, readinessProbe, graceSeconds));
    const grace = readinessProbe.terminationGracePeriodSeconds;
    if (grace !== undefined) {
      const at = `${field}.readinessProbe.terminationGracePeriodSeconds`;
      causes.push(invalid(at, grace, 'must not be set for readinessProbes'));
    }
  }
  if (startupProbe !== undefined) {
    append(causes, validateProbe(`${field}.startupProbe`, startupProbe, graceSeconds));
    append(causes, onlyOnce(`${field}.startupProbe`, startupProbe));
  }
  return causes;
}

/** Requires a success threshold of 1, because a container that fails such a probe is restarted. */
function onlyOnce(field: string, { successThreshold = 0 }: Probe): FieldError[] {
  return successThreshold === 1 ? [] : [invalid(`${field}.successThreshold`, successThreshold, 'must be 1')];
}
