import { ConfigError } from '#platform/base/errors';
import { duplicate, type FieldError, formatFieldError, index, notSupported } from '#platform/base/field-error';
import type { Profile } from '../framework/profile.ts';
import { buildProfile, DEFAULT_SCHEDULER } from './build-profile.ts';
import { DEFAULT_ARGS, type PluginArgs, READ_ARGS } from './plugin-args.ts';
import { pluginChoice } from './plugin-sets.ts';
import { enumReader, integerReader, listReader, objectReader, type Read, readText } from './reader.ts';

/** Configuration of the scheduler. */
export interface SchedulerConfiguration {
  /** Profiles, one for each schedulerName. */
  readonly profiles: readonly Profile[];
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly bindTimeoutMs: number;
}

export function defaultConfiguration(): SchedulerConfiguration {
  return { profiles: [buildProfile()], initialBackoffMs: 1_000, maxBackoffMs: 10_000, bindTimeoutMs: 600_000 };
}

const percentage = integerReader(0, 100);
const seconds = integerReader(1, 2 ** 31 - 1);
const anything: Read<{ readonly value: unknown }> = (value) => ({ value });

const readFile = objectReader({
  apiVersion: enumReader(['kubescheduler.config.k8s.io/v1']),
  kind: enumReader(['KubeSchedulerConfiguration']),
  percentageOfNodesToScore: percentage,
  podInitialBackoffSeconds: seconds,
  podMaxBackoffSeconds: seconds,
  profiles: listReader(
    objectReader({
      schedulerName: readText,
      percentageOfNodesToScore: percentage,
      plugins: anything,
      pluginConfig: listReader(objectReader({ name: readText, args: anything })),
    }),
  ),
});

type FileProfile = NonNullable<NonNullable<ReturnType<typeof readFile>>['profiles']>[number];

/** Parses a KubeSchedulerConfiguration file. Rejects wrong and unknown fields by their paths. */
export function readConfiguration(file: unknown): SchedulerConfiguration {
  const causes: FieldError[] = [];
  const read = readFile(file ?? {}, '', causes) ?? {};
  const { podInitialBackoffSeconds: first = 1, podMaxBackoffSeconds: max = 10 } = read;
  const given = read.profiles ?? [{}];
  const names = given.map(({ schedulerName = DEFAULT_SCHEDULER }) => schedulerName);
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) causes.push(duplicate(`${index('profiles', i)}.schedulerName`, name));
  });
  const args = given.map((profile, i) => argsOf(profile, index('profiles', i), causes));
  const profiles = given.map((profile, i) =>
    buildProfile({
      schedulerName: names[i] ?? DEFAULT_SCHEDULER,
      percentageOfNodesToScore: profile.percentageOfNodesToScore ?? read.percentageOfNodesToScore ?? 0,
      choice: pluginChoice(profile.plugins?.value, `${index('profiles', i)}.plugins`, causes),
      args: args[i] ?? DEFAULT_ARGS,
    }),
  );
  if (causes.length > 0) {
    const texts = causes.map(formatFieldError).join('; ');
    throw new ConfigError(`the scheduler configuration is invalid: ${texts}`);
  }
  return {
    profiles,
    initialBackoffMs: first * 1000,
    maxBackoffMs: Math.max(max, first) * 1000,
    bindTimeoutMs: args[0]?.bindTimeoutMs ?? DEFAULT_ARGS.bindTimeoutMs,
  };
}

function argsOf({ pluginConfig = [] }: FileProfile, path: string, causes: FieldError[]): PluginArgs {
  let args = DEFAULT_ARGS;
  pluginConfig.forEach(({ name = '', args: given }, i) => {
    const at = index(`${path}.pluginConfig`, i);
    const read = Object.hasOwn(READ_ARGS, name) ? READ_ARGS[name] : undefined;
    if (read === undefined) causes.push(notSupported(`${at}.name`, name, Object.keys(READ_ARGS)));
    else args = read(given?.value ?? {}, `${at}.args`, causes, args);
  });
  return args;
}
