import { append } from '#platform/base/append';
import { duplicate, type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { repeats } from '../by-name.ts';
import { causesFor, validateOneOf, validateOneOfIfSet, validatePortNumber, validatePresent } from '../field-checks.ts';
import { fill } from '../fill.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { type LabelSelector, validateSelector } from '../label-selector.ts';
import { type Rule, validateRules } from './rules.ts';

interface ClientConfig {
  url?: string;
  service?: { name?: string; namespace?: string; path?: string; port?: number };
}

interface Webhook {
  name?: string;
  clientConfig?: ClientConfig;
  rules?: Rule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string | null;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[] | null;
  reinvocationPolicy?: string;
  matchConditions?: { name?: string; expression?: string }[];
}

interface Configuration {
  webhooks?: Webhook[];
}

const VERSIONS = ['v1', 'v1beta1'];

function configurations(mutating: boolean): KindStrategy<Configuration> {
  return {
    defaults(object) {
      for (const webhook of object.webhooks ?? []) {
        fill(webhook, {
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          timeoutSeconds: 10,
          ...(mutating ? { reinvocationPolicy: 'Never' } : {}),
        });
        for (const rule of webhook.rules ?? []) rule.scope ??= '*';
        const { service } = webhook.clientConfig ?? {};
        if (service !== undefined) service.port ??= 443;
      }
    },
    validate(object) {
      const names = new Set<string>();
      return (object.webhooks ?? []).flatMap((webhook, i) => {
        const at = index('webhooks', i);
        const causes = validateWebhook(at, webhook);
        const { name = '' } = webhook;
        if (names.has(name)) causes.push(duplicate(`${at}.name`, name));
        names.add(name);
        return causes;
      });
    },
  };
}

export const mutatingWebhooks = configurations(true);
export const validatingWebhooks = configurations(false);

function validateWebhook(field: string, webhook: Webhook): FieldError[] {
  const { name = '', sideEffects, timeoutSeconds, clientConfig = {}, matchConditions = [] } = webhook;
  const causes = [
    ...validateName(`${field}.name`, name),
    ...validateVersions(`${field}.admissionReviewVersions`, webhook.admissionReviewVersions ?? []),
    ...validateRules(`${field}.rules`, webhook.rules ?? []),
    ...validateOneOfIfSet(`${field}.failurePolicy`, webhook.failurePolicy, ['Fail', 'Ignore']),
    ...validateOneOfIfSet(`${field}.matchPolicy`, webhook.matchPolicy, ['Equivalent', 'Exact']),
  ];
  if (sideEffects === undefined || sideEffects === null) {
    causes.push(required(`${field}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  } else append(causes, validateOneOf(`${field}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun']));
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    causes.push(invalid(`${field}.timeoutSeconds`, timeoutSeconds, detail));
  }
  append(causes, validateSelector(`${field}.namespaceSelector`, webhook.namespaceSelector));
  append(causes, validateSelector(`${field}.objectSelector`, webhook.objectSelector));
  append(causes, validateClient(`${field}.clientConfig`, clientConfig));
  for (const [i, { name: condition, expression }] of matchConditions.entries()) {
    const at = index(`${field}.matchConditions`, i);
    append(causes, validatePresent(`${at}.expression`, expression?.trim()), validatePresent(`${at}.name`, condition));
  }
  return [
    ...causes,
    ...validateOneOfIfSet(`${field}.reinvocationPolicy`, webhook.reinvocationPolicy, ['IfNeeded', 'Never']),
  ];
}

function validateName(field: string, name: string): FieldError[] {
  if (name === '') return [required(field)];
  const problems = causesFor(field, name, dns1123SubdomainProblems(name));
  if (problems.length > 0 || name.split('.').length >= 3) return problems;
  return [invalid(field, name, 'should be a domain with at least three segments separated by dots')];
}

function validateVersions(field: string, versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [required(field, `must specify one of ${VERSIONS.join(', ')}`)];
  const again = repeats(versions);
  const causes = versions.flatMap((version, i) =>
    again[i] === true ? [invalid(index(field, i), version, 'duplicate version')] : [],
  );
  if (versions.some((version) => VERSIONS.includes(version))) return causes;
  return [...causes, invalid(field, versions, `must include at least one of ${VERSIONS.join(', ')}`)];
}

function validateClient(field: string, { url, service }: ClientConfig): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  return url === undefined ? validateService(`${field}.service`, service ?? {}) : validateUrl(`${field}.url`, url);
}

function validateUrl(field: string, text: string): FieldError[] {
  if (!URL.canParse(text)) {
    return [
      required(field, `url must be a valid URL: parse ${JSON.stringify(text)}; desired format: https://host[/path]`),
    ];
  }
  const { protocol, hash, search, username } = new URL(text);
  const causes: FieldError[] = [];
  if (protocol !== 'https:') {
    const detail = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
    causes.push(invalid(field, protocol.slice(0, -1), detail));
  }
  if (username !== '') causes.push(invalid(field, username, 'user information is not permitted in the URL'));
  if (hash !== '') causes.push(invalid(field, hash.slice(1), 'fragments are not permitted in the URL'));
  if (search !== '') causes.push(invalid(field, search.slice(1), 'query parameters are not permitted in the URL'));
  return causes;
}

function validateService(
  field: string,
  { name, namespace, path, port }: NonNullable<ClientConfig['service']>,
): FieldError[] {
  const causes = [...validatePresent(`${field}.name`, name), ...validatePresent(`${field}.namespace`, namespace)];
  for (const cause of validatePortNumber(`${field}.port`, port)) {
    causes.push({ ...cause, detail: `port is not valid: ${cause.detail}` });
  }
  if (path === undefined || path === '/') return causes;
  const at = `${field}.path`;
  if (!path.startsWith('/')) causes.push(invalid(at, path, "must start with a '/'"));
  for (const [i, part] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (part === '') causes.push(invalid(at, path, `segment[${i}] may not be empty`));
    else
      for (const problem of dns1123SubdomainProblems(part)) causes.push(invalid(at, path, `segment[${i}]: ${problem}`));
  }
  return causes;
}
