import { dns1123LabelProblems } from '#platform/base/names';
import type { Io } from '../io.ts';
import { diskFlag, wholeNumber } from '../objects/size-flags.ts';
import type { CallFlags } from './call.ts';

/** Defaults that a template suggests for a VM created from it. */
export interface Offer {
  readonly name: string;
  readonly displayName: string;
  readonly cpus?: number;
  readonly memory?: string;
}

type Ask = NonNullable<Io['ask']>;

/** Prompts for the flags that a VM requires. Flags that are already set are not prompted for. */
export async function promptForFlags(
  ask: Ask,
  say: (text: string) => void,
  flags: CallFlags,
  offers: readonly Offer[],
): Promise<CallFlags> {
  const response = <T>(question: string, fallback: string, read: (text: string) => T) =>
    promptUntilValid(ask, say, question, fallback, read);
  const vm = await response('Name of the VM', '', nameOf);
  const template = flags.template ?? (flags.image === undefined ? await promptForChoice(response, say, offers) : '');
  const offer = offers.find(({ name }) => name === template);
  const image =
    flags.image ?? (template === '' ? await response('Image (address, or empty for none)', '', (text) => text) : '');
  const cpus = flags.cpus ?? (await response('CPUs', String(offer?.cpus ?? 1), wholeNumber));
  const memory = flags.memory ?? (await response('Memory', offer?.memory ?? '1Gi', memoryOf));
  const size = flags.disk === undefined ? await response('Disk size (empty: that of the template)', '', sizeOf) : '';
  const isStarted =
    flags.stopped === undefined ? await response('Start it now? (yes, no)', 'yes', yesOrNo) : !flags.stopped;
  return {
    ...flags,
    vm,
    cpus,
    memory,
    stopped: !isStarted,
    ...(template === '' ? {} : { template }),
    ...(image === '' ? {} : { image }),
    ...(size === '' ? {} : { disk: diskFlag(`root=${size}`) }),
  };
}

/** Asks whether to create the VM right away. */
export function isRequested(ask: Ask, say: (text: string) => void): Promise<boolean> {
  return promptUntilValid(ask, say, 'Create it now? (yes, or no to only print it)', 'no', yesOrNo);
}

async function promptUntilValid<T>(
  ask: Ask,
  say: (text: string) => void,
  question: string,
  fallback: string,
  read: (text: string) => T,
): Promise<T> {
  for (;;) {
    const text = (await ask(`${question}${fallback === '' ? '' : ` [${fallback}]`}: `)).trim() || fallback;
    try {
      return read(text);
    } catch (error) {
      say(`${(error as Error).message}\n`);
    }
  }
}

async function promptForChoice(
  response: (question: string, fallback: string, read: (text: string) => string) => Promise<string>,
  say: (text: string) => void,
  offers: readonly Offer[],
): Promise<string> {
  if (offers.length === 0) return response('Template (empty for none)', '', (text) => text);
  say(offers.map(({ name, displayName }, at) => `  ${at + 1}. ${name}  ${displayName}\n`).join(''));
  return response('Template (number, name, or - for none)', '1', (text) => {
    if (text === '-') return '';
    const offer = offers[Number(text) - 1] ?? offers.find(({ name }) => name === text);
    if (offer === undefined) throw new Error(`It must be - or one of ${offers.map(({ name }) => name).join(', ')}.`);
    return offer.name;
  });
}

function nameOf(text: string): string {
  const [problem] = dns1123LabelProblems(text);
  if (problem !== undefined) throw new Error(problem);
  return text;
}

function memoryOf(text: string): string {
  if (/^[1-9]\d*[KMGT]i$/.test(text)) return text;
  throw new Error('It must be a whole number with a binary suffix: 512Mi, 8Gi.');
}

function sizeOf(text: string): string {
  if (text === '' || /^[1-9]\d*[KMGT]i?$/.test(text)) return text;
  throw new Error('It must be a quantity such as 20Gi.');
}

function yesOrNo(text: string): boolean {
  if (/^y(?:es)?$/i.test(text)) return true;
  if (/^no?$/i.test(text)) return false;
  throw new Error('It must be yes or no.');
}
