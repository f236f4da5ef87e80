import type { AdmissionPlugin, Write } from '../../admission-plugin.ts';
import { isExempt } from '../matching.ts';
import { type AskParts, ask } from './ask.ts';
import type { Hooks } from './hook.ts';

/** Asks all validating webhooks at once; of several refusals, the writer hears that of the first. */
export function validatingWebhooks(hooks: Hooks, parts: AskParts): AdmissionPlugin {
  async function askAll(write: Write): Promise<void> {
    const answers = await Promise.allSettled(hooks.all().map((hook) => ask(parts, hook, write, false)));
    const refused = answers.find((answer) => answer.status === 'rejected');
    if (refused !== undefined) throw refused.reason;
  }
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: (write) => (hooks.size === 0 || isExempt(write) ? undefined : askAll(write)),
  };
}
