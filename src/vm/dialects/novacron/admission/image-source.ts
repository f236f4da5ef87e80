import { type FieldError, invalid } from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';

const isLabel = (text: string) => dns1123LabelProblems(text).length === 0;
const isSubdomain = (text: string) => dns1123SubdomainProblems(text).length === 0;

interface Scheme {
  readonly form: string;
  accepts(rest: string, whole: string): boolean;
}

const web: Scheme = {
  form: 'must be a URL with a host and the path of an image, such as https://images.example.com/debian.qcow2',
  accepts: (_rest, whole) => {
    const url = URL.canParse(whole) ? new URL(whole) : undefined;
    return url !== undefined && url.hostname !== '' && url.pathname !== '/' && !/\s/.test(whole);
  },
};

const SCHEMES: Readonly<Record<string, Scheme>> = {
  marketplace: {
    form: 'must be marketplace:// and the name of an image, such as marketplace://debian-12',
    accepts: (rest) => /^[A-Za-z0-9][\w.-]*([/:][A-Za-z0-9][\w.-]*)*$/.test(rest),
  },
  http: web,
  https: web,
  s3: {
    form: 'must be s3://bucket/key',
    accepts: (rest) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/[^/\s]\S*$/.test(rest),
  },
  pvc: {
    form: 'must be pvc://namespace/claim',
    accepts: (rest) => {
      const [namespace = '', claim = '', ...more] = rest.split('/');
      return more.length === 0 && isLabel(namespace) && isSubdomain(claim);
    },
  },
};

const UNKNOWN = 'must begin with marketplace://, http://, https://, s3:// or pvc://';

/** Validates that an image source has a known scheme and the parts that the scheme requires. */
export function validateImageSource(field: string, source: string): FieldError[] {
  const [, name = '', rest = ''] = /^([a-z0-9]+):\/\/(.*)$/s.exec(source) ?? [];
  const scheme = Object.hasOwn(SCHEMES, name) ? SCHEMES[name] : undefined;
  if (scheme === undefined) return [invalid(field, source, UNKNOWN)];
  return scheme.accepts(rest, source) ? [] : [invalid(field, source, scheme.form)];
}
