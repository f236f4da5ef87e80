import { notSupported } from '#platform/base/field-error';
import { badRequest, invalid } from '../api-error.ts';
import { decodeBuiltIn } from '../builtin-schema/decode.ts';
import type { LongWork } from '../long-work.ts';
import { type DeleteOptions, validatePolicy } from '../verbs/delete.ts';
import type { ApiRequest } from './api-request.ts';
import { decodeRequest } from './body.ts';
import { flagParameter, integerParameter } from './options.ts';

const KIND = 'DeleteOptions';

/** Reads the options of a deletion from its body or its query parameters. */
export async function deleteOptions(request: ApiRequest, work: LongWork): Promise<DeleteOptions> {
  const bytes = await request.body();
  const options = bytes.length === 0 ? sentAsParameters(request.query) : await sentAsBody(request, work);
  const { dryRun = [] } = options;
  if (dryRun.some((value) => value !== 'All')) {
    const causes = [...validatePolicy(options), notSupported('dryRun', dryRun, ['All'])];
    throw invalid({ group: 'meta.k8s.io', kind: KIND }, '', causes);
  }
  const { dryRun: _dryRun, ...rest } = options;
  return dryRun.length === 0 ? rest : options;
}

function sentAsParameters(query: URLSearchParams): DeleteOptions {
  const policy = query.get('propagationPolicy');
  return {
    ...integerParameter(query, 'gracePeriodSeconds'),
    ...flagParameter(query, 'orphanDependents'),
    ...(policy === null ? {} : { propagationPolicy: policy as 'Orphan' }),
  };
}

async function sentAsBody(request: ApiRequest, work: LongWork): Promise<DeleteOptions> {
  const { value } = await decodeRequest(request, { apiVersion: 'v1', kind: KIND }, work);
  const said = (value ?? {}) as Readonly<Record<string, unknown>>;
  const [kind, apiVersion] = [said['kind'] ?? KIND, said['apiVersion'] ?? 'v1'];
  if (kind !== KIND) {
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  }
  const decoded = decodeBuiltIn('v1', KIND, value);
  if (decoded?.error !== undefined) throw badRequest(decoded.error);
  return decoded?.object ?? {};
}
