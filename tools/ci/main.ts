import { ciParts, nightlyParts } from './parts.ts';
import { runCommand } from './run-command.ts';
import { runParts } from './run-parts.ts';
import { isFailure, summary } from './summary.ts';

const MINUTE = 60;
/** The whole of `.ci/run` takes at most 70 minutes: the rest is for stopping what is cut short. */
const CI_SECONDS = 68 * MINUTE;
const NIGHTLY_SECONDS = 12 * 60 * MINUTE;

/** `node tools/ci/main.ts ci|nightly [PART...]`. VIMANA_CI_STARTED is the second at which `.ci/run` began. */
const [which = '', ...names] = process.argv.slice(2);
if (which !== 'ci' && which !== 'nightly') throw new Error('usage: node tools/ci/main.ts ci|nightly [PART...]');
const now = () => Date.now() / 1000;
const started = Number(process.env['VIMANA_CI_STARTED'] ?? now());
const seed = Number(process.env['VIMANA_PROPERTY_SEED'] ?? Math.floor(now()));
const say = (text: string) => void process.stdout.write(text);
const outcomes = await runParts(which === 'ci' ? ciParts(seed) : nightlyParts(names), {
  deadline: started + (which === 'ci' ? CI_SECONDS : NIGHTLY_SECONDS),
  now,
  say,
  run: runCommand,
});
say(summary(outcomes));
process.exitCode = isFailure(outcomes) ? 1 : 0;
