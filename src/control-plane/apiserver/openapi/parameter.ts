/** One parameter of an operation, other than its body. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({
  name,
  in: 'query',
  type,
  description,
});

const path = (name: string, description: string): Parameter => ({ name, in: 'path', type: 'string', description });

export const PRETTY = query('pretty', 'string', 'If true, the response is indented.');
export const NAMESPACE = path('namespace', 'The namespace of the objects.');
export const PROXY_PATH = path('path', 'The rest of the path, passed on unchanged.');
export const RESOURCE_VERSION = query(
  'resourceVersion',
  'string',
  'The response must not be older than this revision.',
);
const DRY_RUN = query(
  'dryRun',
  'string',
  'If set to All, the request is validated and answered, but nothing is stored.',
);
const FIELD_MANAGER = query(
  'fieldManager',
  'string',
  'Name of the owner of the fields that this request sets, at most 128 characters.',
);
const APPLY_MANAGER = query(
  'fieldManager',
  'string',
  'Name of the owner of the fields that this request sets. Required for an apply patch, optional for other patches.',
);
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'How unknown and duplicate fields are handled: Ignore drops them, Warn drops them with a warning, Strict rejects the request.',
);
const FORCE = query('force', 'boolean', 'If true, an apply patch takes over fields that others own.');
const ALLOW_BOOKMARKS = query('allowWatchBookmarks', 'boolean', 'If true, a watch may send bookmarks.');
const WATCH = query('watch', 'boolean', 'If true, the response is a stream of changes instead of a list.');

/** Parameters that select and page a list, for reading or deletion. */
const SELECTION: readonly Parameter[] = [
  query('continue', 'string', 'The continue token of the previous page.'),
  query('fieldSelector', 'string', 'Selects objects by their fields.'),
  query('labelSelector', 'string', 'Selects objects by their labels.'),
  query('limit', 'integer', 'Maximum number of objects in one response, which then has a continue token.'),
  RESOURCE_VERSION,
  query('resourceVersionMatch', 'string', 'How resourceVersion is applied: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'If true, a watch starts with the existing objects.'),
  query('shardSelector', 'string', 'Selects the objects of one shard.'),
  query('timeoutSeconds', 'integer', 'Timeout of the request in seconds.'),
];

const DELETION: readonly Parameter[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'Seconds before the object is deleted; 0 deletes it immediately.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Deletes an object that can no longer be read, without its finalizers.',
  ),
  query(
    'orphanDependents',
    'boolean',
    'Deprecated: if true, the dependents of the object are retained. Use propagationPolicy.',
  ),
  query(
    'propagationPolicy',
    'string',
    'How the dependents of the object are deleted: Orphan, Background or Foreground.',
  ),
];

export const LIST_PARAMETERS: readonly Parameter[] = [ALLOW_BOOKMARKS, ...SELECTION, WATCH];
export const WRITE_PARAMETERS: readonly Parameter[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
export const PATCH_PARAMETERS: readonly Parameter[] = [DRY_RUN, APPLY_MANAGER, FIELD_VALIDATION, FORCE];
export const DELETE_PARAMETERS = DELETION;
export const DELETE_COLLECTION_PARAMETERS: readonly Parameter[] = [...SELECTION, ...DELETION];

/**
 * Returns the name parameter of a kind. It is the same object for each kind, so that the operations of a path share it.
 */
export function nameParameter(kind: string): Parameter {
  return path('name', `The name of the ${kind}.`);
}

const CONTAINER = query('container', 'string', 'The container. Defaults to the only container of the pod.');
const STREAMS: readonly Parameter[] = [
  CONTAINER,
  query('stderr', 'boolean', 'If true, the standard error of the process is sent.'),
  query('stdin', 'boolean', 'If true, the process reads standard input.'),
  query('stdout', 'boolean', 'If true, the standard output of the process is sent.'),
  query('tty', 'boolean', 'If true, the process gets a terminal.'),
];
const PROXY: readonly Parameter[] = [query('path', 'string', 'The path to request from the target.')];

/** Parameters of subresources that open a connection, by the kind of their options. */
export const CONNECT_PARAMETERS: Readonly<Record<string, readonly Parameter[]>> = {
  PodExecOptions: [...STREAMS, query('command', 'string', 'The command and its arguments, one parameter each.')],
  PodAttachOptions: STREAMS,
  PodPortForwardOptions: [query('ports', 'integer', 'The ports to forward.')],
  PodProxyOptions: PROXY,
  ServiceProxyOptions: PROXY,
  NodeProxyOptions: PROXY,
};

export const LOG_PARAMETERS: readonly Parameter[] = [
  CONTAINER,
  query('follow', 'boolean', 'If true, new lines are streamed.'),
  query('insecureSkipTLSVerifyBackend', 'boolean', 'If true, the certificate of the node is not verified.'),
  query('limitBytes', 'integer', 'Maximum number of bytes to send.'),
  PRETTY,
  query('previous', 'boolean', 'If true, the log of the previous container is returned.'),
  query('sinceSeconds', 'integer', 'Only lines of this many last seconds are returned.'),
  query('stream', 'string', 'All, Stdout or Stderr.'),
  query('tailLines', 'integer', 'Only this many last lines are returned.'),
  query('timestamps', 'boolean', 'If true, each line starts with its time.'),
];
