import { Command, InvalidArgumentError, type Option } from 'commander';
import { UsageError } from '#platform/base/errors';
import { similarWord } from '#platform/base/similar-word';

/** Returns the errors of a combination of flags, beyond those of each single flag. */
export type Rule<T> = (flags: T, given: Given) => readonly string[];

/** Reports whether the user set the flag with this settings name. */
export type Given = (name: string) => boolean;

/** Command that reports all errors in its flags at once, before it does anything. */
export class CheckedCommand extends Command {
  readonly #problems: string[] = [];
  readonly #rules: Rule<never>[] = [];

  constructor(name?: string) {
    super(name);
    this.hook('preAction', () => {
      const flags = this.opts() as never;
      const given: Given = (option) => this.getOptionValueSource(option) === 'cli';
      const problems = [...this.#problems, ...this.#rules.flatMap((rule) => rule(flags, given))];
      if (problems.length > 0) {
        throw new UsageError(problems.join('\n       '), { hint: `See: ${pathOf(this)} --help` });
      }
    });
  }

  /** Adds a rule over several flags. Its messages name the flags. */
  refuses<T>(rule: Rule<T>): this {
    this.#rules.push(rule);
    return this;
  }

  override createCommand(name?: string): CheckedCommand {
    return new CheckedCommand(name);
  }

  override addOption(option: Option): this {
    const { parseArg: parse } = option;
    if (parse !== undefined) {
      option.argParser<unknown>((text, previous) => {
        try {
          return parse(text, previous);
        } catch (error) {
          if (!(error instanceof InvalidArgumentError)) throw error;
          const meant = similarWord(text, option.argChoices ?? []);
          const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
          this.#problems.push(`${option.long ?? option.flags} ${text}: ${error.message}${question}`);
          return option.defaultValue;
        }
      });
    }
    return super.addOption(option);
  }
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
