import { child, type FieldError, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import type { ConversionClient } from '../crd.ts';
import { parseGoUrl } from './go-url.ts';

const FORM = '; desired format: https://host[/path]';

/** Validates the URL of a webhook. */
export function validateWebhookUrl(url: string, path: string): FieldError[] {
  const parsed = parseGoUrl(url);
  if ('problem' in parsed) return [required(path, `url must be a valid URL: ${parsed.problem}${FORM}`)];
  const { scheme, host, user, fragment, query } = parsed;
  const causes: FieldError[] = [];
  if (scheme !== 'https') causes.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') causes.push(invalid(path, host, `host must be specified${FORM}`));
  if (user !== undefined) causes.push(invalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') causes.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') causes.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return causes;
}

/** Validates the service reference of a webhook. */
export function validateServiceReference(
  service: NonNullable<ConversionClient['service']>,
  path: string,
): FieldError[] {
  const { name, namespace, port = 443 } = service;
  const causes: FieldError[] = [];
  if (!name) causes.push(required(child(path, 'name')));
  if (!namespace) causes.push(required(child(path, 'namespace')));
  if (port < 1 || port > 65_535) {
    causes.push(invalid(child(path, 'port'), port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  return [...causes, ...validatePath(service.path ?? '', child(path, 'path'))];
}

function validatePath(text: string, path: string): FieldError[] {
  if (text === '' || text === '/') return [];
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')];
  const causes = text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")];
  for (const [i, segment] of text.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') causes.push(invalid(path, text, `segment[${i}] may not be empty`));
    else {
      for (const problem of dns1123SubdomainProblems(segment)) {
        causes.push(invalid(path, text, `segment[${i}]: ${problem}`));
      }
    }
  }
  return causes;
}
