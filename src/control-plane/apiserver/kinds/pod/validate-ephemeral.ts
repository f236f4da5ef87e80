import { type FieldError, forbidden, index, notFound } from '#platform/base/field-error';
import { byName } from '../by-name.ts';
import type { Container, PodSpec } from './pod-spec.ts';

/** Fields that ephemeral containers must not have, because nothing depends on their lifecycle. */
const FORBIDDEN = [
  'lifecycle',
  'livenessProbe',
  'ports',
  'readinessProbe',
  'resources',
  'restartPolicy',
  'startupProbe',
] as const;
const DETAIL = 'cannot be set for an Ephemeral Container';

/** Validates an ephemeral container beyond the checks of all containers. */
export function validateEphemeral(field: string, container: Container, spec: PodSpec): FieldError[] {
  const { targetContainerName: target = '', volumeMounts = [] } = container;
  const others = [spec.containers ?? [], spec.initContainers ?? []];
  return [
    ...(target !== '' && !others.some((list) => byName(list).has(target))
      ? [notFound(`${field}.targetContainerName`, target)]
      : []),
    ...FORBIDDEN.filter((name) => Object.keys(container[name] ?? {}).length > 0).map((name) =>
      forbidden(`${field}.${name}`, DETAIL),
    ),
    ...volumeMounts.flatMap(({ subPath = '', subPathExpr = '' }, i) => {
      const at = index(`${field}.volumeMounts`, i);
      return [
        ...(subPath === '' ? [] : [forbidden(`${at}.subPath`, DETAIL)]),
        ...(subPathExpr === '' ? [] : [forbidden(`${at}.subPathExpr`, DETAIL)]),
      ];
    }),
  ];
}
