import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { isExempt } from '../matching.ts';
import type { AdmissionWebhooks } from './admission-webhook.ts';
import { callAdmissionWebhook, type WebhookDeps } from './call-admission-webhook.ts';

/** Calls all validating webhooks in parallel. Of several denials, the writer gets the first one to arrive. */
export function validatingWebhookPlugin(hooks: AdmissionWebhooks, parts: WebhookDeps): AdmissionPlugin {
  async function askAll(write: AdmissionAttributes): Promise<void> {
    const rejected: unknown[] = [];
    await Promise.all(
      hooks
        .all()
        .map((hook) => callAdmissionWebhook(parts, hook, write, false).catch((error: unknown) => rejected.push(error))),
    );
    if (rejected.length > 0) throw rejected[0];
  }
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: (write) => (hooks.size === 0 || isExempt(write) ? undefined : askAll(write)),
  };
}
