import type { AdmissionPlugin, Write } from '../../admission-plugin.ts';
import { isExempt } from '../matching.ts';
import { type AskParts, ask } from './ask.ts';
import type { Hooks } from './hook.ts';

/** Asks all validating webhooks at once; of several refusals, the writer hears the one that came first. */
export function validatingWebhooks(hooks: Hooks, parts: AskParts): AdmissionPlugin {
  async function askAll(write: Write): Promise<void> {
    const refused: unknown[] = [];
    await Promise.all(
      hooks.all().map((hook) => ask(parts, hook, write, false).catch((error: unknown) => refused.push(error))),
    );
    if (refused.length > 0) throw refused[0];
  }
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: (write) => (hooks.size === 0 || isExempt(write) ? undefined : askAll(write)),
  };
}
