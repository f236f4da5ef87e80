import { InvalidArgumentError, Option } from 'commander';
import { tryParseCidr } from '#platform/base/cidr';
import { tryParseIp } from '#platform/base/ip';
import { dns1123SubdomainProblems } from '#platform/base/names';

/** Returns the flag for additional host names that clients may use for the HTTP servers. */
export function allowedHostsOption(): Option {
  return new Option(
    '--allowed-hosts <names>',
    'host names that HTTP clients may use besides IP addresses and localhost, separated by commas; *.example.org allows all subdomains',
  )
    .argParser((text: string) => parseNames(text, isHostName, 'names such as vimana.example.org or *.example.org'))
    .default([], 'none');
}

/** Returns the flag for image servers at addresses that are not public. */
export function imageHostsOption(): Option {
  return new Option(
    '--image-hosts <hosts>',
    'names, addresses and CIDRs of image servers that may have private addresses, separated by commas',
  )
    .argParser((text: string) =>
      parseNames(text, isHost, 'names, addresses or CIDRs such as images.example.org or 10.0.0.0/8'),
    )
    .default([], 'none');
}

function parseNames(text: string, isGood: (each: string) => boolean, what: string): string[] {
  const names = text
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '');
  const bad = names.filter((each) => !isGood(each));
  if (bad.length === 0) return names;
  throw new InvalidArgumentError(`${bad.join(', ')} is not valid: it must be ${what}.`);
}

const isHostName = (text: string) => dns1123SubdomainProblems(text.replace(/^\*\./, '')).length === 0;
const isHost = (text: string) => isHostName(text) || tryParseIp(text) !== undefined || tryParseCidr(text) !== undefined;
