import { ParseError } from '#platform/base/errors';
import { readYaml } from '#platform/kube/yaml-json';
import { badRequest } from './errors.ts';

/** Body of a request: the options of all KubeVirt subresources combined. */
export interface ActionOptions {
  readonly dryRun: boolean;
  /** StartOptions: starts the VM paused. */
  readonly paused?: boolean;
  /** StopOptions.gracePeriod or RestartOptions.gracePeriodSeconds. */
  readonly gracePeriodSeconds?: number;
  /** MigrateOptions: labels that the target node must have. */
  readonly addedNodeSelector?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses a body, which may be empty. Ignores fields that do not apply to the action, as KubeVirt does. */
export function actionOptions(text: string): ActionOptions {
  const fields = fieldsOf(text);
  const paused = assertType(fields, 'paused', 'a boolean', (value) => typeof value === 'boolean') as
    | boolean
    | undefined;
  const grace = graceOf(fields, 'gracePeriod') ?? graceOf(fields, 'gracePeriodSeconds');
  const selector = assertType(
    fields,
    'addedNodeSelector',
    'a map of strings',
    isLabels,
  ) as ActionOptions['addedNodeSelector'];
  return {
    dryRun:
      assertType(fields, 'dryRun', '["All"]', isDryRun) !== undefined && (fields['dryRun'] as string[]).length > 0,
    ...(paused === undefined ? {} : { paused }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(selector === undefined ? {} : { addedNodeSelector: selector }),
  };
}

function fieldsOf(text: string): Fields {
  const value = decodeBody(text) ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Fields;
  throw unreadableError('it is no object');
}

function decodeBody(text: string): unknown {
  try {
    return readYaml(text).value;
  } catch (error) {
    if (error instanceof ParseError) throw unreadableError(error.message);
    throw error;
  }
}

function unreadableError(why: string) {
  return badRequest(`Can not unmarshal Request body to struct, error: ${why}`);
}

function assertType(fields: Fields, name: string, what: string, is: (value: unknown) => boolean): unknown {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (is(value)) return value;
  throw unreadableError(`${name} must be ${what}`);
}

function graceOf(fields: Fields, name: string): number | undefined {
  const value = assertType(fields, name, 'a whole number', Number.isSafeInteger) as number | undefined;
  if (value !== undefined && value < 0) throw badRequest('gracePeriod has to be greater or equal to 0');
  return value;
}

function isLabels(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((label) => typeof label === 'string');
}

function isDryRun(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => each === 'All');
}
