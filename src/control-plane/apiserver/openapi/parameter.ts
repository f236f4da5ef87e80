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

export const PRETTY = query('pretty', 'string', 'Indents the answer for a human reader when set to true.');
export const NAMESPACE = path('namespace', 'The namespace that holds the objects.');
export const PROXY_PATH = path('path', 'The rest of the path, handed on as it is.');
export const RESOURCE_VERSION = query(
  'resourceVersion',
  'string',
  'The revision that the answer must not be older than.',
);
const DRY_RUN = query('dryRun', 'string', 'Set to All, the request is checked and answered but nothing is stored.');
const FIELD_MANAGER = query(
  'fieldManager',
  'string',
  'Who owns the fields that this request sets; at most 128 characters.',
);
const APPLY_MANAGER = query(
  'fieldManager',
  'string',
  'Who owns the fields that this request sets; needed for an apply patch, free for other patches.',
);
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'What happens to unknown and repeated fields: Ignore drops them, Warn drops them with a warning, Strict refuses the request.',
);
const FORCE = query('force', 'boolean', 'Lets an apply patch take over fields that others own.');
const ALLOW_BOOKMARKS = query('allowWatchBookmarks', 'boolean', 'Asks a watch to tell now and then how far it is.');
const WATCH = query('watch', 'boolean', 'Answers with a stream of changes instead of a list.');

/** Parameters that select and page a list, for reading or deletion. */
const SELECTION: readonly Parameter[] = [
  query('continue', 'string', 'Where the page before ended, as that page told.'),
  query('fieldSelector', 'string', 'Takes only objects whose fields match.'),
  query('labelSelector', 'string', 'Takes only objects whose labels match.'),
  query('limit', 'integer', 'The most objects in one answer; the answer then tells how to go on.'),
  RESOURCE_VERSION,
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Begins a watch with the objects that are there already.'),
  query('shardSelector', 'string', 'Takes only objects of one part of all.'),
  query('timeoutSeconds', 'integer', 'Ends the call after so many seconds.'),
];

const DELETION: readonly Parameter[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'Seconds until the object is gone; 0 deletes it at once.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Deletes an object that can no longer be read, without its finalizers.',
  ),
  query('orphanDependents', 'boolean', 'Deprecated: keeps what the object owns. Use propagationPolicy.'),
  query('propagationPolicy', 'string', 'What becomes of what the object owns: Orphan, Background or Foreground.'),
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

const CONTAINER = query('container', 'string', 'The container; the only one where there is just one.');
const STREAMS: readonly Parameter[] = [
  CONTAINER,
  query('stderr', 'boolean', 'Sends the standard error of the process.'),
  query('stdin', 'boolean', 'Takes the standard input of the process.'),
  query('stdout', 'boolean', 'Sends the standard output of the process.'),
  query('tty', 'boolean', 'Gives the process a terminal.'),
];
const PROXY: readonly Parameter[] = [query('path', 'string', 'The path that is asked for at the target.')];

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
  query('follow', 'boolean', 'Goes on with new lines as they come.'),
  query('insecureSkipTLSVerifyBackend', 'boolean', 'Reads from a node whose certificate cannot be checked.'),
  query('limitBytes', 'integer', 'The most bytes that are sent.'),
  PRETTY,
  query('previous', 'boolean', 'Takes the container that ran before this one.'),
  query('sinceSeconds', 'integer', 'Takes only lines of the last seconds.'),
  query('stream', 'string', 'All, Stdout or Stderr.'),
  query('tailLines', 'integer', 'Takes only the last lines.'),
  query('timestamps', 'boolean', 'Begins each line with its time.'),
];
