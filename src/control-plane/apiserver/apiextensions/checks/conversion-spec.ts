import { child, type FieldError, forbidden, index, invalid, notSupported, required } from '#platform/base/field-error';
import { dns1035LabelProblems } from '#platform/base/names';
import { type Crd, isTrue } from '../crd.ts';
import { bundleProblem } from './ca-bundle.ts';
import { validateServiceReference, validateWebhookUrl } from './webhook-client.ts';

type Conversion = NonNullable<Crd['spec']['conversion']>;
type Client = NonNullable<Conversion['webhook']>['clientConfig'];

const KNOWN_REVIEWS = ['v1', 'v1beta1'];

/** Validates the conversion strategy and its webhook. */
export function validateConversion(conversion: Conversion, path: string, old?: Crd): FieldError[] {
  const { strategy, webhook } = conversion;
  const client = webhook?.clientConfig;
  const reviews = webhook?.conversionReviewVersions ?? [];
  const clientPath = child(path, 'webhookClientConfig');
  const reviewsPath = child(path, 'conversionReviewVersions');
  if (strategy === 'Webhook') {
    return [
      ...validateClient(client, clientPath),
      ...validateBundle(client, clientPath, old),
      ...validateReview(reviews, reviewsPath),
    ];
  }
  const causes: FieldError[] = [];
  if (!strategy) causes.push(required(child(path, 'strategy')));
  else if (strategy !== 'None') causes.push(notSupported(child(path, 'strategy'), strategy, ['None', 'Webhook']));
  const detail = 'should not be set when strategy is not set to Webhook';
  if (client !== undefined) causes.push(forbidden(clientPath, detail));
  if (reviews.length > 0) causes.push(forbidden(reviewsPath, detail));
  return causes;
}

function validateClient(client: Client, path: string): FieldError[] {
  if (client === undefined) return [required(path, 'required when strategy is set to Webhook')];
  const { url, service } = client;
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return validateWebhookUrl(url, child(path, 'url'));
  return service === undefined ? [] : validateServiceReference(service, child(path, 'service'));
}

/** Validates the CA bundle, unless the CRD is not established yet or its old bundle was already invalid. */
function validateBundle(client: Client, path: string, old: Crd | undefined): FieldError[] {
  const bundle = client?.caBundle ?? '';
  if (bundle === '' || old === undefined || !isTrue(old, 'Established')) return [];
  const before = old.spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  if (before !== '' && bundleProblem(before) !== undefined) return [];
  const problem = bundleProblem(bundle);
  if (problem === undefined) return [];
  return [invalid(child(path, 'caBundle'), bundle, `unable to load root certificates: ${problem}`)];
}

function validateReview(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const causes: FieldError[] = [];
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) causes.push(invalid(index(path, i), version, 'duplicate version'));
    else for (const problem of dns1035LabelProblems(version)) causes.push(invalid(index(path, i), version, problem));
  }
  if (!versions.some((version) => KNOWN_REVIEWS.includes(version))) {
    causes.push(invalid(path, versions, `must include at least one of ${KNOWN_REVIEWS.join(', ')}`));
  }
  return causes;
}
