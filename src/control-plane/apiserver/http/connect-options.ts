import type { ObjectKind } from '../admission-plugin.ts';
import { apiVersionOf } from '../resource.ts';
import { flagParameter } from './options.ts';

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'] as const;

/** Returns the options of a request to connect to a pod, service or node, as the object that admission sees. */
export function connectOptions(desired: ObjectKind, query: URLSearchParams, rest: string): object {
  const head = { kind: desired.kind, apiVersion: apiVersionOf(desired) };
  switch (desired.kind) {
    case 'PodExecOptions':
      return { ...head, ...streams(query), ...texts(query, 'command') };
    case 'PodAttachOptions':
      return { ...head, ...streams(query) };
    case 'PodPortForwardOptions': {
      const ports = query.getAll('ports').flatMap((text) => text.split(',').map(Number));
      return { ...head, ...(ports.length === 0 ? {} : { ports }) };
    }
    default:
      return { ...head, ...(rest === '' ? {} : { path: `/${rest}` }) };
  }
}

function streams(query: URLSearchParams): object {
  const container = query.get('container') ?? '';
  const desired = FLAGS.filter((name) => flagParameter(query, name)[name] === true);
  return {
    ...Object.fromEntries(desired.map((name) => [name, true])),
    ...(container === '' ? {} : { container }),
  };
}

function texts(query: URLSearchParams, name: string): object {
  const values = query.getAll(name);
  return values.length === 0 ? {} : { [name]: values };
}
