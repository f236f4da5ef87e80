import { TEST_SUPPORT } from '../layers/table.ts';

/** A form of names or comments that docs/language.md rules out. */
interface Pattern {
  /** The form. Its first group is what a finding shows. */
  readonly form: RegExp;
  readonly use: string;
  /** Matches that are allowed. */
  readonly except?: ReadonlySet<string>;
  readonly covers: (path: string) => boolean;
}

const isTypeScript = (path: string) => path.endsWith('.ts');

export const PATTERNS: readonly Pattern[] = [
  {
    form: /\/\*\*\s+(?:\*\s+)?((?:What|Who|Whom|Whose|Of|In which|To which|By which)(?= ))/g,
    use: 'a comment that begins with a noun or a verb',
    covers: isTypeScript,
  },
  {
    form: /\bfunction\*? ([a-z]+ed)[(<]/g,
    use: 'a verb for a function that acts, a noun for a pure one',
    except: new Set([
      // Errors that Kubernetes names so: field.Required, NewUnauthorized, NewResourceExpired.
      'required',
      'unauthorized',
      'expired',
      // These are no participles.
      'embed',
      'malformed',
      'seed',
      'speed',
    ]),
    // Tests name values by what happened to them.
    covers: (path) => isTypeScript(path) && !TEST_SUPPORT.test(path) && !path.startsWith('test/'),
  },
];
