import { pullPolicyOf } from './image-reference.ts';
import type { Container, EnvVar, FieldRef, Handler, Probe, ResourceFieldRef } from './pod-spec.ts';

/** Sets the defaults of a container. */
export function defaultContainer(container: Container): void {
  container.resources ??= {};
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  container.imagePullPolicy ||= pullPolicyOf(container.image);
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const variable of container.env ?? []) defaultEnv(variable);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) defaultProbe(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (handler !== undefined) defaultHandler(handler);
  }
}

function defaultEnv({ valueFrom }: EnvVar): void {
  defaultFieldRef(valueFrom?.fieldRef);
  defaultResourceRef(valueFrom?.resourceFieldRef);
  if (valueFrom?.fileKeyRef !== undefined) valueFrom.fileKeyRef.optional ??= false;
}

export function defaultFieldRef(reference: FieldRef | undefined): void {
  if (reference !== undefined) reference.apiVersion ||= 'v1';
}

/** Sets the default divisor. 0 stands for 1. */
export function defaultResourceRef(reference: ResourceFieldRef | undefined): void {
  if (reference !== undefined) reference.divisor ??= '0';
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHandler(probe);
}

function defaultHandler({ httpGet, grpc }: Handler): void {
  if (httpGet !== undefined) {
    httpGet.path ||= '/';
    httpGet.scheme ||= 'HTTP';
  }
  if (grpc !== undefined) grpc.service ??= '';
}
