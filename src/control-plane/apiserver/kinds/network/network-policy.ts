import { append } from '#platform/base/append';
import { contains, tryParseCidr } from '#platform/base/cidr';
import { type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { causesFor, validateOneOf, validatePortNumber, validatePortReference } from '../field-checks.ts';
import { cidrProblems } from '../ip-text.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { type LabelSelector, validateSelector } from '../label-selector.ts';

interface Port {
  protocol?: string;
  port?: number | string;
  endPort?: number;
}

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr?: string; except?: string[] };
}

interface NetworkPolicy {
  spec?: {
    podSelector?: LabelSelector;
    ingress?: { ports?: Port[]; from?: Peer[] }[];
    egress?: { ports?: Port[]; to?: Peer[] }[];
    policyTypes?: string[];
  };
}

export const networkPolicies: KindStrategy<NetworkPolicy> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of ports) port.protocol ??= 'TCP';
    }
    if ((spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  validate(object) {
    const { podSelector, ingress = [], egress = [], policyTypes = [] } = object.spec ?? {};
    const causes = validateSelector('spec.podSelector', podSelector);
    for (const [i, { ports = [], from = [] }] of ingress.entries()) {
      const at = index('spec.ingress', i);
      append(
        causes,
        ports.flatMap((port, k) => validatePort(index(`${at}.ports`, k), port)),
      );
      append(
        causes,
        from.flatMap((peer, k) => validatePeer(index(`${at}.from`, k), peer)),
      );
    }
    for (const [i, { ports = [], to = [] }] of egress.entries()) {
      const at = index('spec.egress', i);
      append(
        causes,
        ports.flatMap((port, k) => validatePort(index(`${at}.ports`, k), port)),
      );
      append(
        causes,
        to.flatMap((peer, k) => validatePeer(index(`${at}.to`, k), peer)),
      );
    }
    if (policyTypes.length > 2) {
      return [...causes, invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')];
    }
    return [
      ...causes,
      ...policyTypes.flatMap((type, i) => validateOneOf(index('spec.policyTypes', i), type, ['Ingress', 'Egress'])),
    ];
  },
};

function validatePort(field: string, { protocol = '', port, endPort }: Port): FieldError[] {
  const causes = validateOneOf(`${field}.protocol`, protocol, ['TCP', 'UDP', 'SCTP']);
  const at = `${field}.endPort`;
  if (port === undefined) {
    const detail = 'may not be specified when `port` is not specified';
    return endPort === undefined ? causes : [...causes, invalid(at, endPort, detail)];
  }
  append(causes, validatePortReference(`${field}.port`, port));
  if (endPort === undefined) return causes;
  if (typeof port === 'string') {
    return [...causes, invalid(at, endPort, 'may not be specified when `port` is non-numeric')];
  }
  if (endPort < port) causes.push(invalid(at, port, 'must be greater than or equal to `port`'));
  return [...causes, ...validatePortNumber(at, endPort)];
}

function validatePeer(field: string, { podSelector, namespaceSelector, ipBlock }: Peer): FieldError[] {
  const causes = [
    ...validateSelector(`${field}.podSelector`, podSelector),
    ...validateSelector(`${field}.namespaceSelector`, namespaceSelector),
  ];
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (ipBlock !== undefined) {
    append(causes, validateBlock(`${field}.ipBlock`, ipBlock));
    if (selects) causes.push(forbidden(field, 'may not specify both ipBlock and another peer'));
  } else if (!selects) causes.push(required(field, 'must specify a peer'));
  return causes;
}

function validateBlock(field: string, { cidr = '', except = [] }: NonNullable<Peer['ipBlock']>): FieldError[] {
  if (cidr === '') return [required(`${field}.cidr`)];
  const block = tryParseCidr(cidr);
  const wrong = causesFor(`${field}.cidr`, cidr, cidrProblems(cidr));
  if (block === undefined) return wrong;
  const causes = except.flatMap((text, i) => {
    const at = index(`${field}.except`, i);
    const part = tryParseCidr(text);
    const problems = causesFor(at, text, cidrProblems(text));
    if (part === undefined) return problems;
    const inside = contains(block, part.address) && part.prefix > block.prefix;
    return inside ? problems : [...problems, invalid(at, text, 'must be a strict subset of `cidr`')];
  });
  return [...wrong, ...causes];
}
